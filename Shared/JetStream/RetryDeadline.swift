import EventSourcing
import System

/// How long requests to a cluster without a leader are repeated, and how often.
struct Patience {
    /// Milliseconds after which an operation fails.
    let milliseconds: Int64
    /// Milliseconds between two attempts.
    let pause: Int

    /// For servers of a cluster.
    static let servers = Patience(
        milliseconds: JetStreamLimits.retryMilliseconds, pause: JetStreamLimits.pauseMilliseconds)
}

/// The moment until which requests to a cluster without a leader are repeated.
struct RetryDeadline: ~Copyable {
    private let end: Int64
    private let pause: Int

    init(_ patience: Patience = .servers) {
        end = Clock.monotonicMicroseconds() + patience.milliseconds * 1_000
        pause = patience.pause
    }

    /// Pauses before the next attempt. Throws the error as a failure of `operation` when the time is over.
    func pause(after error: JetStreamError, _ operation: String) throws(LogFailure) {
        guard Clock.monotonicMicroseconds() < end else { throw error.failure(operation) }
        do throws(SystemError) {
            _ = try Poll.wait([], milliseconds: pause)
        } catch {
            throw LogFailure(operation: operation, message: "\(error)")
        }
    }

    /// Repeats `body` while the cluster is unreachable. Throws everything else as a failure of `operation`.
    func retry<Result>(
        _ operation: String, _ body: () throws(JetStreamError) -> Result
    ) throws(LogFailure) -> Result {
        while true {
            do throws(JetStreamError) {
                return try body()
            } catch {
                guard case .unreachable = error else { throw error.failure(operation) }
                try pause(after: error, operation)
            }
        }
    }
}
