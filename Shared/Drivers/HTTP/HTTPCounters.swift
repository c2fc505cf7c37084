/// The counters of a server since its start, for its metrics.
public struct HTTPCounters: Sendable, Equatable {
    /// The connections open now.
    public var connectionsOpen = 0
    /// All connections since the start.
    public var connectionsTotal = 0
    /// All requests since the start.
    public var requestsTotal = 0
    /// Responses to an exchange that already had one.
    public var answersIgnoredTotal = 0
    /// Exchanges released without a response; the server answered 500 to each.
    public var exchangesDroppedTotal = 0
    /// Connections closed because the client was too slow.
    public var connectionsTimedOutTotal = 0
    /// Requests with a malformed or ambiguous head; each was answered 400.
    public var requestsMalformedTotal = 0
    /// Connections closed at once, and requests of a proxy's client answered 429, because of a limit.
    public var connectionsRefusedTotal = 0
    /// Half-open connections closed in favour of newer ones.
    public var connectionsReplacedTotal = 0
    /// Connections that have not sent a whole request head yet.
    public var connectionsHalfOpen = 0
    /// The address with most connections, and how many; nil if there is none.
    public var busiest: Busiest?

    /// An address and its number of connections.
    public struct Busiest: Sendable, Equatable {
        /// The numeric address, or the /64 network of an IPv6 address.
        public let address: String
        /// Its open connections, or its open requests through a trusted proxy.
        public let connections: Int
    }
}
