import EventSourcing
import Events
import JSON

/// `furrow schema`: prints the JSON Schema of published events, for programs of other parties.
struct SchemaCommand {
    private let name: String?
    private let isJSON: Bool
    private let isAsyncAPI: Bool

    init(_ arguments: inout Arguments) throws {
        isJSON = arguments.flag("--json")
        isAsyncAPI = arguments.flag("--asyncapi")
        name = arguments.word()
        try arguments.end()
    }

    func run() throws -> Int32 {
        if isAsyncAPI {
            put(AsyncAPI.document(of: RecordedEvent.types))
        } else if let name {
            guard let type = RecordedEvent.types.first(where: { $0.name == name }) else {
                Terminal.complain("There is no event \(name); furrow schema lists them.")
                return 1
            }
            put(Schema.event(type))
        } else if isJSON {
            put(.object(RecordedEvent.types.map { ($0.name, Schema.event($0)) }))
        } else {
            for name in RecordedEvent.names.sorted() { Terminal.say(name) }
        }
        return 0
    }

    private func put(_ value: JSONAny) {
        var json = JSONWriter()
        value.write(to: &json)
        Terminal.put(json.bytes + [10])
    }
}
