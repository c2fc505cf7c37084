import EventSourcing
import JSON
import System
import Wire
import ZeroMQ

/// The commands that control a running farm server.
enum ControlCommands {
    static func scale(_ arguments: inout Arguments) throws -> Int32 {
        let farmPaths = try FarmPaths(home: arguments.value("--home"))
        guard let count = try arguments.number("--ingest", 1...16) else {
            throw Refusal("The number of processes is missing: --ingest K", isMisuse: true)
        }
        // The response is JSON with and without this option.
        _ = arguments.flag("--json")
        try arguments.end()
        try farmPaths.refuseInStack(insteadOf: "starting", "up -d --scale sensor-ingest=\(count)")
        let answer = try Console.ask(
            "supervisor", "scale", farmPaths, try Context(), body: Array("{\"ingest\":\(count)}".utf8), seconds: 30)
        Terminal.put(answer.body + [10])
        return answer.status == 200 ? 0 : 1
    }

    /// Stops the farm server and returns once it has stopped. Throws if that takes more than 20 s.
    static func stop(_ arguments: inout Arguments) throws -> Int32 {
        let farmPaths = try FarmPaths(home: arguments.value("--home"))
        let isJSON = arguments.flag("--json")
        try arguments.end()
        try farmPaths.refuseInStack(insteadOf: "stopping", "stop")
        guard try File.exists(farmPaths.runFile) || StandbyServer.isRunning(farmPaths) else {
            throw Refusal("No farm server is running in \(farmPaths.home).")
        }
        // A standby may wait for its database before it reads the request.
        _ = try Console.ask("supervisor", "stop", farmPaths, try Context(), seconds: 20)
        let end = Clock.monotonicMicroseconds() + 20_000_000
        while try FileLock(path: "\(farmPaths.home)/lock") == nil {
            guard Clock.monotonicMicroseconds() < end else { throw Refusal("It is still stopping after 20 s.") }
            _ = try Poll.wait([], milliseconds: 50)
        }
        var json = JSONWriter()
        json.object { json in
            json.field("stopped", true)
            json.field("home", farmPaths.home)
        }
        Terminal.say(isJSON ? json.text : "Stopped. All data is in \(farmPaths.home).")
        return 0
    }
}

/// `furrow setup-link`
struct SetupLinkCommand {
    private let farmPaths: FarmPaths
    private let isJSON: Bool

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        try arguments.end()
    }

    func run() throws -> Int32 {
        let answer = try Console.ask(GatewayRequestName.setupLink, farmPaths, try Context())
        let json = try JSONValue.parse(answer.body)
        guard answer.status == 200 else {
            Terminal.complain(try json.find("detail") ?? "There is an administrator already.")
            return 1
        }
        // In a container, only compose knows where the gateway's port is published.
        let told = Machine.environment["FURROW_OPEN_AT"] ?? ""
        let link = try
            "\(told.isEmpty ? RunFile.read(farmPaths).http : told)/setup#\(json.get("token", as: String.self))"
        Terminal.say(isJSON ? "{\"setup\":\"\(link)\"}" : link)
        return 0
    }
}
