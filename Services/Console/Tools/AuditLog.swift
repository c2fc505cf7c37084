import EventSourcing
import JSON
import Wire
import ZeroMQ

/// `furrow audit-log`
struct AuditLog {
    private let farmPaths: FarmPaths
    private let isJSON: Bool
    private let lines: Int

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        lines = try arguments.number("--lines", 1...10_000) ?? 200
        try arguments.end()
    }

    func run() throws -> Int32 {
        let context = try Context()
        var after: String?
        var printed = 0
        repeat {
            var body = JSONWriter()
            body.object { $0.field("after", ifPresent: after) }
            let answer = try Console.ask(GatewayRequestName.auditLog, farmPaths, context, body: body.bytes)
            let page = try JSONValue.parse(answer.body)
            guard answer.status == 200 else { throw Refusal(try page.find("detail") ?? "The gateway refused.") }
            for item in page["items"]?.array.map({ Array($0) }) ?? [] where printed < lines {
                try Terminal.say(isJSON ? Self.json(item) : Self.line(item))
                printed += 1
            }
            after = try page.find("next")
        } while after != nil && printed < lines
        return 0
    }

    private static func json(_ item: JSONValue) throws -> String {
        var json = JSONWriter()
        try JSONAny(json: item).write(to: &json)
        return json.text
    }

    private static func line(_ item: JSONValue) throws -> String {
        let at: String = try item.get("at")
        let about =
            item.text("name") ?? item.text("person") ?? item.text("gateway") ?? item.text("device") ?? "unknown address"
        let by = item.text("actorName") ?? item.text("actor") ?? ""
        let count: Int = try item.get("count")
        return "\(at)  \(try item.get("what", as: String.self))  \(about)  by \(by)"
            + (count > 1 ? "  \(count) times" : "")
    }
}
