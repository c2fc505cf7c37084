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
    /// Requests whose head has no one meaning; each was answered 400.
    public var requestsMalformedTotal = 0
    /// Connections closed at once, and requests of a proxy's client answered 429, because of a limit.
    public var connectionsRefusedTotal = 0
    /// Half-open connections that made room for newer ones.
    public var connectionsReplacedTotal = 0
    /// Connections that have not sent a whole request head yet.
    public var connectionsHalfOpen = 0
    /// The address that holds most connections, and how many; nil while there is none.
    public var busiest: Busiest?

    /// An address and the connections that it holds.
    public struct Busiest: Sendable, Equatable {
        public let address: String
        public let connections: Int
    }
}
