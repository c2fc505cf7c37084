import EventSourcing
import System

/// The moment until which requests to a cluster without a leader are repeated.
struct RetryDeadline: ~Copyable {
    private let end: Int64

    init(milliseconds: Int64 = JetStreamLimits.retryMilliseconds) {
        end = Clock.monotonicMicroseconds() + milliseconds * 1_000
    }

    /// Pauses before the next attempt. Throws the error as a failure of `operation` when the time is over.
    func pause(after error: JetStreamError, _ operation: String) throws(LogFailure) {
        guard Clock.monotonicMicroseconds() < end else { throw error.failure(operation) }
        do throws(SystemError) {
            _ = try Poll.wait([], milliseconds: JetStreamLimits.pauseMilliseconds)
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
