import Synchronization

/// The counters of a running server; `HTTPCounters` is their public snapshot.
final class ServerCounters: Sendable {
    let connectionsOpen = Atomic(0)
    let connections = Atomic(0)
    let requests = Atomic(0)
    let answersIgnored = Atomic(0)
    let exchangesDropped = Atomic(0)
    let connectionsTimedOut = Atomic(0)
    let malformed = Atomic(0)
    let bufferedBytes = Atomic(0)

    var counters: HTTPCounters {
        HTTPCounters(
            connectionsOpen: connectionsOpen.load(ordering: .relaxed),
            connectionsTotal: connections.load(ordering: .relaxed),
            requestsTotal: requests.load(ordering: .relaxed),
            answersIgnoredTotal: answersIgnored.load(ordering: .relaxed),
            exchangesDroppedTotal: exchangesDropped.load(ordering: .relaxed),
            connectionsTimedOutTotal: connectionsTimedOut.load(ordering: .relaxed),
            requestsMalformedTotal: malformed.load(ordering: .relaxed))
    }
}
