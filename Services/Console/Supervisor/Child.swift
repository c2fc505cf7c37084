import Glibc
import System

/// One process that the supervisor keeps alive.
final class Child {
    let name: String
    private let command: Process.Command
    let opsPort: Int?
    private(set) var process: Process?
    private var failures: [Int64] = []
    private var nextStart: Int64 = 0
    /// Set once it answered that it is ready; a death after that is no failing start.
    var isReady = false
    var isWanted = true

    /// Starts that may fail within a minute before it is given up.
    static let failuresAtMost = 5
    static let backoffMicroseconds: [Int64] = [0, 200_000, 500_000, 1_000_000, 2_000_000]

    init(_ name: String, _ command: Process.Command, opsPort: Int? = nil) {
        self.name = name
        self.command = command
        self.opsPort = opsPort
    }

    enum Change { case none, started, died(String), givenUp }

    /// Notices a death and starts again when it is time, unless what it needs is not there yet.
    func tend(at now: Int64, mayStart: @autoclosure () -> Bool = true) throws -> Change {
        if let process {
            guard let status = try process.wait() else { return .none }
            self.process = nil
            guard isWanted else { return .none }
            failures = isReady ? [] : failures.filter { now - $0 < 60_000_000 } + [now]
            isReady = false
            nextStart = now + Self.backoffMicroseconds[min(failures.count, Self.backoffMicroseconds.count - 1)]
            if failures.count >= Self.failuresAtMost {
                isWanted = false
                return .givenUp
            }
            return .died("\(status)")
        }
        guard isWanted, now >= nextStart, mayStart() else { return .none }
        process = try Process(command)
        return .started
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

    var pid: Int32? { process?.pid }
}
