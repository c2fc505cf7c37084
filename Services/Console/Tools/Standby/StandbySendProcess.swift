import Glibc
import Host
import JSON
import Postgres
import System
import Vocabulary

/// `furrow standby send`: sends the standby what changes, each second, and notices if the standby was promoted.
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
        let signals = try SignalWatcher()
        var sender: StandbySender?
        var nextLook: Int64 = 0
        var trouble: String?
        var mode = SynchronousMode()
        while true {
            _ = try Poll.wait([signals.descriptor], milliseconds: Self.milliseconds)
            if signals.drain().contains(where: { $0 == .terminate || $0 == .interrupt }) { return }
            try tend(&mode)
            do {
                if try sender?.isOutdated() ?? true { sender = try StandbySender(farmPaths) }
                try sender?.send()
                try note(sender?.address())
                let folder = StandbyFolder(of: farmPaths.home)
                if try folder.renewCertificate() {
                    try Connection(farmPaths.conninfo).execute("SELECT pg_reload_conf()")
                }
                try StandbyState(sendingBy: farmPaths.conninfo).write(folder.state)
                if trouble != nil { Terminal.say("The standby is sent everything again.") }
                trouble = nil
            } catch {
                if trouble != "\(error)" { Terminal.complain("The standby is not sent everything: \(error)") }
                trouble = "\(error)"
                sender = nil
            }
            guard Clock.monotonicMicroseconds() >= nextLook else { continue }
            nextLook = Clock.monotonicMicroseconds() + Self.fenceMicroseconds
            if try StandbyFence(farmPaths).look() { return }
        }
    }

    /// Lets commits wait for the standby, if the operator wants that and it is connected.
    private func tend(_ mode: inout SynchronousMode) throws {
        guard let settings = try StandbySettings(of: farmPaths.home), settings.isSynchronous else { return }
        do throws(PostgresError) {
            let connection = try StandbyDatabase.local(farmPaths.conninfo)
            let isConnected = try !connection.query(
                "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"
            ).isEmpty
            guard let isOn = mode.decide(isConnected: isConnected, at: Clock.monotonicMicroseconds()) else { return }
            try StandbyDatabase.setSynchronous(isOn, connection)
            Terminal.say(isOn ? "Commits wait for the standby." : "The standby is gone: commits do not wait for it.")
        } catch {
            // The database is being restarted; it is decided again a second later.
            mode = SynchronousMode()
        }
    }

    /// Writes the standby's address into the settings, so that the next start finds it without a database.
    private func note(_ address: String?) throws {
        guard let address, var settings = try StandbySettings(of: farmPaths.home), settings.peer != address else {
            return
        }
        settings.peer = address
        try settings.write(to: farmPaths.home)
    }
}
