/// How much a server takes before it says no.
public struct HTTPLimits: Sendable {
    /// Bytes of one request's body; more is answered 413.
    public var maxBodyBytes: Int
    /// Bytes of all bodies held at one time; beyond it requests are answered 503.
    public var maxBufferedBytes: Int
    /// Connections open at one time; beyond it one that has sent no request makes room, or the newest is closed.
    public var maxConnections: Int
    /// Connections beyond `maxConnections` for programs of this machine: the operator's, and a proxy's.
    public var reservedConnections: Int
    /// Connections of one address, or of one IPv6 network of 64 bits; more are closed at once. Requests at one time of
    /// one client that a trusted proxy names; more are answered 429.
    public var maxPerAddress: Int
    /// Connections of one address that have not sent a whole request head; the next one takes the place of the oldest.
    public var maxHalfOpenPerAddress: Int
    /// Seconds in which a new connection has to bring its first request head.
    public var headSeconds: Int
    /// Seconds in which a connection has to bring the next request head; a browser keeps several open that say nothing.
    public var restSeconds: Int
    /// Seconds in which it then has to bring a whole body, and take an answer.
    public var idleSeconds: Int
    /// Seconds in which a handler has to answer; then the server answers 504.
    public var answerSeconds: Int
    /// Bytes of a request's head; more is answered 431.
    public var maxHeaderBytes: Int

    public init(
        maxBodyBytes: Int = 8 << 20, maxBufferedBytes: Int = 64 << 20, maxConnections: Int = 3_000,
        reservedConnections: Int = 64, maxPerAddress: Int = 512, maxHalfOpenPerAddress: Int = 128,
        headSeconds: Int = 10, restSeconds: Int = 15, idleSeconds: Int = 60, answerSeconds: Int = 120,
        maxHeaderBytes: Int = 16 << 10
    ) {
        self.maxBodyBytes = maxBodyBytes
        self.maxBufferedBytes = maxBufferedBytes
        self.maxConnections = maxConnections
        self.reservedConnections = reservedConnections
        self.maxPerAddress = maxPerAddress
        self.maxHalfOpenPerAddress = maxHalfOpenPerAddress
        self.headSeconds = headSeconds
        self.restSeconds = restSeconds
        self.idleSeconds = idleSeconds
        self.answerSeconds = answerSeconds
        self.maxHeaderBytes = maxHeaderBytes
    }
}
