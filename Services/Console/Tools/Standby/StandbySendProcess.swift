import Glibc
import Host
import JSON
import Postgres
import System
import Vocabulary

/// `furrow standby send`: tends a pair each second.
///
/// On the primary it sends the standby what changes, and notices if the standby was promoted. In containers it also
/// runs on the standby, where it writes how far the standby has come, and lets the services wait.
struct StandbySendProcess {
    let farmPaths: FarmPaths

    static let name = "standby"
    private static let milliseconds = 1_000
    /// Seconds between two looks at whether the standby was promoted.
    private static let fenceMicroseconds: Int64 = 3_000_000

    /// Returns the process of a supervisor.
    static func child(_ farmPaths: FarmPaths) -> Child {
        var environment = Machine.environment
        environment["FURROW_HOME"] = farmPaths.home
        environment["FURROW_RUN"] = farmPaths.run
        var command = Process.Command(
            "\(farmPaths.programs)/furrow", ["standby", "send", "--home", farmPaths.home], environment: environment)
        command.output = .file("\(farmPaths.logs)/standby.log")
        command.error = .file("\(farmPaths.logs)/standby.log")
        return Child(name, command)
    }

    func run() throws {
        try farmPaths.makeRun()
        let signals = try SignalWatcher()
        let gate = farmPaths.published.map(PairGate.init(folder:))
        var nextLook: Int64 = 0
        var trouble: String?
        var tending = PairTending(farmPaths)
        while true {
            let settings = try farmPaths.standbySettings
            if settings?.role != .standby, Clock.monotonicMicroseconds() >= nextLook {
                nextLook = Clock.monotonicMicroseconds() + Self.fenceMicroseconds
                if try StandbyFence(farmPaths).look() {
                    try gate?.write(.fenced)
                    return try Self.rest(signals, isStack: farmPaths.isStack)
                }
            }
            try gate?.write(settings?.role == .standby ? .standby : .primary)
            do {
                if let settings { try tending.tend(settings) }
                if trouble != nil { Terminal.say("The standby is sent everything again.") }
                trouble = nil
            } catch {
                if trouble != "\(error)" { Terminal.complain("The standby does not have everything: \(error)") }
                trouble = "\(error)"
                tending = PairTending(farmPaths)
            }
            _ = try Poll.wait([signals.descriptor], milliseconds: Self.milliseconds)
            if signals.drain().contains(where: { $0 == .terminate || $0 == .interrupt }) { return }
        }
    }

    /// Waits to be stopped in a container, which would be started again.
    private static func rest(_ signals: SignalWatcher, isStack: Bool) throws {
        Terminal.complain("The standby was promoted and runs this farm now; this machine must not.")
        while isStack {
            _ = try Poll.wait([signals.descriptor], milliseconds: -1)
            if signals.drain().contains(where: { $0 == .terminate || $0 == .interrupt }) { return }
        }
    }
}
