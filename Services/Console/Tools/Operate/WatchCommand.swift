import EventSourcing
import JSON
import System
import Wire
import ZeroMQ

/// `furrow watch`: checks the farm server every minute as the doctor does, and reports to the gateway what has to be
/// done at once. The gateway notifies the administrators.
struct WatchCommand {
    private let farmPaths: FarmPaths
    private let isOnce: Bool

    static let milliseconds = 60_000

    /// Returns the process that watches the farm server of a supervisor.
    static func child(_ farmPaths: FarmPaths) -> Child {
        var environment = Machine.environment
        environment["FURROW_HOME"] = farmPaths.home
        environment["FURROW_RUN"] = farmPaths.run
        var command = Process.Command(
            "\(farmPaths.programs)/furrow", ["watch", "--home", farmPaths.home], environment: environment)
        command.output = .file("\(farmPaths.logs)/watch.log")
        command.error = .file("\(farmPaths.logs)/watch.log")
        return Child("watch", command)
    }

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isOnce = arguments.flag("--once")
        try arguments.end()
    }

    func run() throws -> Int32 {
        var restarts = RestartCounts()
        if isOnce {
            try report(&restarts)
            return 0
        }
        let signals = try SignalWatcher()
        while true {
            _ = try Poll.wait([signals.descriptor], milliseconds: Self.milliseconds)
            if signals.drain().contains(where: { $0 == .terminate || $0 == .interrupt }) { return 0 }
            do {
                try report(&restarts)
            } catch {
                // The gateway may be starting; without reports it notifies by itself.
                Terminal.complain("The report failed: \(error)")
            }
        }
    }

    private func report(_ restarts: inout RestartCounts) throws {
        let now = Clock.bootMicroseconds()
        var findings = try DoctorCommand.look(farmPaths) { farm in
            for service in farm.services {
                if let started = service.response?.moment("started") {
                    restarts.note(service.origin, started: started, at: now)
                }
            }
        }.filter { $0.state == .act }
        findings += restarts.findings(at: now, Wording(isStack: farmPaths.isStack))
        var body = JSONWriter()
        body.object { json in
            json.field(
                "findings",
                array: { json in
                    for finding in findings {
                        json.object { json in
                            json.field("check", finding.name)
                            json.field("said", finding.said)
                            json.field("advice", ifPresent: finding.advice)
                        }
                    }
                })
        }
        let context = try Context()
        defer { context.shutdown() }
        let answer = try Console.ask(GatewayRequestName.serverReport, farmPaths, context, body: body.bytes)
        guard answer.status == 200 else {
            throw Refusal("the gateway answered with \(answer.status)")
        }
    }
}
