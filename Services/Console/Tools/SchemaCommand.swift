import Declarations
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
        let schemas = Family.all.flatMap { family in
            family.events.map { ($0.name(in: family), JSONSchema.event($0, in: family)) }
        }
        if isAsyncAPI {
            put(AsyncAPI.document(of: Family.all))
        } else if let name {
            guard let schema = schemas.first(where: { $0.0 == name })?.1 else {
                Terminal.complain("There is no event \(name); furrow schema lists them.")
                return 1
            }
            put(schema)
        } else if isJSON {
            put(.object(schemas))
        } else {
            for name in schemas.map(\.0).sorted() { Terminal.say(name) }
        }
        return 0
    }

    private func put(_ value: JSONAny) {
        var json = JSONWriter()
        value.write(to: &json)
        Terminal.put(json.bytes + [10])
    }
}
