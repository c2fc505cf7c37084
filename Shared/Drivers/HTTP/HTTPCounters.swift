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
