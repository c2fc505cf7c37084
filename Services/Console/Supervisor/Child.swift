import Glibc
import Host
import System

/// One process that the supervisor keeps alive.
final class Child {
    let name: String
    private let command: Process.Command
    /// What a service's watchdog moves on; nil for what has none.
    private let heartbeat: Heartbeat?
    let opsPort: Int?
    /// Where its words go.
    let log: LogFile?
    private(set) var process: Process?
    private var failures: [Int64] = []
    private var hangs = HangCount()
    /// It was ended by its parent because its heartbeat stood still.
    private var wasStill = false
    /// Why it is started to say only that it stays down; nil while it may work.
    private(set) var staysDown: String?
    private var nextStart: Int64 = 0
    /// Set once it answered that it is ready.
    var isReady = false
    /// How far it says that it has folded its views, while that is what it does.
    var folded: Int?
    var isWanted = true

    /// Ends by its own fault within a minute before it is given up.
    static let failuresAtMost = 5
    static let backoffMicroseconds: [Int64] = [0, 200_000, 500_000, 1_000_000, 2_000_000]

    init(_ name: String, _ command: Process.Command, opsPort: Int? = nil, heartbeat: Heartbeat? = nil) {
        self.name = name
        self.command = command
        self.heartbeat = heartbeat
        self.opsPort = opsPort
        if case .file(let path) = command.error { log = LogFile(path) } else { log = nil }
    }

    /// What `tend` saw or did; of an end it says how it came.
    enum Change { case none, started, died(String), hung(String), givenUp(String) }

    /// Notices a death and starts again when it is time, unless what it needs is not there. Ends a process whose
    /// heartbeat stands still.
    func tend(at now: Int64, mayStart: @autoclosure () -> Bool = true) throws -> Change {
        if let process {
            guard let status = try process.wait() else {
                endIfStill(at: now)
                return .none
            }
            self.process = nil
            lastStatus = status
            guard isWanted else { return .none }
            if let reason = hang(status) { return hung(reason, at: now) }
            failures.removeAll { now - $0 >= 60_000_000 }
            // Being killed is somebody else's doing, the kernel's or an operator's; so is the lack of what it needs.
            let isOwnFault = status != .signalled(SIGKILL) && mayStart()
            if isOwnFault { failures.append(now) }
            let step = min(isOwnFault || isReady ? failures.count : 1, Self.backoffMicroseconds.count - 1)
            nextStart = now + Self.backoffMicroseconds[step]
            isReady = false
            let end = "\(status)" + (log?.lastReason.map { ", \($0)" } ?? "")
            if failures.count >= Self.failuresAtMost {
                isWanted = false
                return .givenUp(end)
            }
            return .died(end)
        }
        guard isWanted, now >= nextStart, mayStart() else { return .none }
        var command = command
        heartbeat?.begin(&command)
        if let staysDown { command.environment["FURROW_STAYS_DOWN"] = staysDown }
        process = try Process(command)
        pid = process?.pid
        return .started
    }

    // MARK: Hangs

    private func endIfStill(at now: Int64) {
        guard let heartbeat, !wasStill, heartbeat.isStill(at: now) else { return }
        wasStill = true
        signal(SIGKILL)
    }

    /// Why an end counts as a hang; nil for every other end.
    private func hang(_ status: Process.ExitStatus) -> String? {
        defer { wasStill = false }
        if status == .exited(HangStatus.code) { return log?.lastReason ?? "its watchdog ended it" }
        return wasStill ? "the process as a whole stood still for \(heartbeat?.seconds ?? 0) s" : nil
    }

    private func hung(_ reason: String, at now: Int64) -> Change {
        isReady = false
        nextStart = now + Self.backoffMicroseconds[1]
        if hangs.note(at: now) {
            staysDown =
                "it hung \(HangCount.atMost) times within \(HangCount.windowSeconds / 60) minutes, at last because "
                + "\(reason); look at its log, then restart it"
        }
        return .hung(reason)
    }

    func signal(_ signal: Int32) {
        guard let process else { return }
        do {
            try process.kill(signal)
        } catch {
            // It has died by itself in this moment; `tend` or `stop` will see it.
        }
    }

    /// Asks it to end, and ends it if it doesn't within the time.
    func stop(_ signal: Int32 = SIGTERM, milliseconds: Int) throws {
        isWanted = false
        guard let process else { return }
        self.signal(signal)
        if try process.wait(milliseconds: milliseconds) == nil {
            self.signal(SIGKILL)
            _ = try process.wait(milliseconds: 2000)
        }
        self.process = nil
    }

    /// How the last process ended.
    private(set) var lastStatus: Process.ExitStatus?

    /// Of the process that runs, or that ran last: between an end and the next start nobody is told that it is gone.
    private(set) var pid: Int32?
}
