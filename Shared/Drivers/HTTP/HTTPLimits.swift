/// The limits of a server on requests and connections.
public struct HTTPLimits: Sendable {
    /// Bytes of one request's body; more is answered 413.
    public var maxBodyBytes: Int
    /// The beginning of the paths whose bodies may be larger, and their bytes; nil if there are none.
    ///
    /// Together such bodies use half of `maxBufferedBytes` at most, so that they do not keep out ordinary requests.
    public var largeBodies: (path: String, bytes: Int)?
    /// Bytes of all request bodies in memory at one time; beyond it requests are answered 503.
    public var maxBufferedBytes: Int
    /// Connections open at one time; beyond it a half-open one is closed, or else the newest.
    public var maxConnections: Int
    /// Connections beyond `maxConnections` for programs of this machine: the operator's, and a proxy's.
    public var reservedConnections: Int
    /// Connections of one address, or of one IPv6 /64 network; more are closed at once.
    ///
    /// Also the simultaneous requests of one client that a trusted proxy names; more are answered 429.
    public var maxPerAddress: Int
    /// Half-open connections of one address; one more closes the oldest of them.
    public var maxHalfOpenPerAddress: Int
    /// Seconds in which a new connection has to send its first request head.
    public var headSeconds: Int
    /// Seconds in which a connection has to send the next request head; browsers keep several idle ones open.
    public var restSeconds: Int
    /// Seconds in which a client has to send a whole body, and to receive a response.
    public var idleSeconds: Int
    /// Seconds in which a handler has to respond; then the server answers 504.
    public var answerSeconds: Int
    /// Bytes of a request's head; more is answered 431.
    public var maxHeaderBytes: Int

    /// Returns the bytes of a request's body at a path.
    func bodyBytes(of path: String) -> Int {
        guard let largeBodies, path.hasPrefix(largeBodies.path) else { return maxBodyBytes }
        return largeBodies.bytes
    }

    /// Creates limits; those not given have a default.
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
