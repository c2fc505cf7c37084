import Synchronization

/// What a server has seen since it started, for its metrics.
public struct HTTPCounters: Sendable, Equatable {
    public var connectionsOpen = 0
    public var connectionsTotal = 0
    public var requestsTotal = 0
    /// Answers given to an exchange that had one already.
    public var answersIgnoredTotal = 0
    /// Exchanges let go without an answer; each was answered 500.
    public var exchangesDroppedTotal = 0
    /// Connections closed because the client was too slow.
    public var connectionsTimedOutTotal = 0
}

/// The same, while it is counted.
final class Tally: Sendable {
    let connectionsOpen = Atomic(0)
    let connections = Atomic(0)
    let requests = Atomic(0)
    let answersIgnored = Atomic(0)
    let exchangesDropped = Atomic(0)
    let connectionsTimedOut = Atomic(0)
    let bufferedBytes = Atomic(0)

    var counters: HTTPCounters {
        HTTPCounters(
            connectionsOpen: connectionsOpen.load(ordering: .relaxed),
            connectionsTotal: connections.load(ordering: .relaxed),
            requestsTotal: requests.load(ordering: .relaxed),
            answersIgnoredTotal: answersIgnored.load(ordering: .relaxed),
            exchangesDroppedTotal: exchangesDropped.load(ordering: .relaxed),
            connectionsTimedOutTotal: connectionsTimedOut.load(ordering: .relaxed))
    }
}
