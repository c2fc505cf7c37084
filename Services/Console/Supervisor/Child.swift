import Glibc
import Host
import System

/// A process that the supervisor starts, watches and restarts.
final class Child {
    let name: String
    private let command: Process.Command
    /// The beats of the service's watchdog; nil for a process that has none.
    private let heartbeat: Heartbeat?
    let opsPort: Int?
    /// The file that takes its standard error; nil if that is not a file.
    let log: LogFile?
    private(set) var process: Process?
    private var failures: [Int64] = []
    private var hangs = HangCount()
    /// True if its parent killed it because its heartbeat had stopped.
    private var wasStill = false
    /// Why it is started only to report that it stays down; nil while it may work.
    private(set) var staysDown: String?
    private var nextStart: Int64 = 0
    /// True once it has reported that it is ready.
    var isReady = false
    /// The journal position up to which it reports its views as rebuilt, while it rebuilds them.
    var folded: Int?
    var isWanted = true

    /// Failures within a minute after which it is no longer restarted.
    static let failuresAtMost = 5
    static let backoffMicroseconds: [Int64] = [0, 200_000, 500_000, 1_000_000, 2_000_000]

    init(_ name: String, _ command: Process.Command, opsPort: Int? = nil, heartbeat: Heartbeat? = nil) {
        self.name = name
        self.command = command
        self.heartbeat = heartbeat
        self.opsPort = opsPort
        if case .file(let path) = command.error { log = LogFile(path) } else { log = nil }
    }

    /// What `tend` observed or did; the text of an end is its reason.
    enum Change { case none, started, died(String), hung(String), givenUp(String) }

    /// Detects an end, and restarts the process once the backoff is over and `mayStart` is true.
    ///
    /// Kills a process whose heartbeat has stopped.
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
            // SIGKILL comes from the kernel or an operator, and a missing dependency is no fault of the process either.
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

    /// Returns why an end counts as a hang; nil for any other end.
    private func hang(_ status: Process.ExitStatus) -> String? {
        defer { wasStill = false }
        if status == .exited(HangStatus.code) { return log?.lastReason ?? "its watchdog ended it" }
        return wasStill ? "the process as a whole made no progress for \(heartbeat?.seconds ?? 0) s" : nil
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
            // It has just ended by itself; `tend` or `stop` will observe it.
        }
    }

    /// Sends `signal`, and SIGKILL if the process has not ended within `milliseconds`.
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

    /// The PID of the current or last process: between an end and the next start it still names the ended one.
    private(set) var pid: Int32?
}
