import EventSourcing
import EventStore
import HTTP

/// What other threads hand to a service's loop.
enum LoopMessage: Sendable {
    case web(HTTPExchange)
    case finished(token: UInt64, result: [UInt8])
    /// An ask could not even be sent.
    case queried(id: UInt64, answer: Response)
    case unasked(token: UInt64)
    /// A run of the own journal is in its segment, or why not.
    case sealed(Result<SealedRun, LogFailure>)
    /// A sealed run lies beside its segment without what is let go of it, or why not.
    case pruned(Result<PrunedRun, LogFailure>)
    case stop
}
