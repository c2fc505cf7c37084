import EventSourcing
import EventStore
import HTTP

/// A message from another thread to a service's event loop.
enum LoopMessage: Sendable {
    case web(HTTPExchange)
    case finished(token: UInt64, result: [UInt8])
    /// A query was processed by the query thread.
    case queried(id: UInt64, answer: Response)
    /// A request to another service could not be sent.
    case unsent(token: UInt64)
    /// A run of the own journal was written to its segment, or the failure.
    case sealed(Result<SealedRun, LogFailure>)
    /// A pruned replacement of a segment was written, or the failure.
    case pruned(Result<PrunedRun, LogFailure>)
    case stop
}
