import EventSourcing
import JSON
import System
import Wire
import ZeroMQ

/// `furrow user reset EMAIL`: prints a one-time link to choose a new password, even for the only administrator.
struct UserReset {
    private let farmPaths: FarmPaths
    private let isJSON: Bool
    private let email: String

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        guard arguments.word() == "reset", let email = arguments.word() else {
            throw Refusal("The command is: furrow user reset EMAIL", isMisuse: true)
        }
        self.email = email
        try arguments.end()
    }

    func run() throws -> Int32 {
        var body = JSONWriter()
        body.object { $0.field("email", email) }
        let answer = try Console.ask(GatewayRequestName.userReset, farmPaths, try Context(), body: body.bytes)
        let json = try JSONValue.parse(answer.body)
        guard answer.status == 200 else {
            Terminal.complain(try json.find("detail") ?? "The gateway made no link.")
            return 1
        }
        // In a container only compose knows where the gateway's port is published.
        let open = Machine.environment["FURROW_OPEN_AT"] ?? ""
        let link = try
            "\(open.isEmpty ? RunFile.read(farmPaths).http : open)/reset#\(json.get("token", as: String.self))"
        Terminal.say(isJSON ? "{\"reset\":\"\(link)\"}" : link)
        return 0
    }
}
