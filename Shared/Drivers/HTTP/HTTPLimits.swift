/// How much a server takes before it says no.
public struct HTTPLimits: Sendable {
    /// Bytes of one request's body; more is answered 413.
    public var maxBodyBytes: Int
    /// Bytes of all bodies held at one time; beyond it requests are answered 503.
    public var maxBufferedBytes: Int
    /// Connections open at one time; more wait in the kernel's queue.
    public var maxConnections: Int
    /// Seconds in which a connection has to bring a whole request head; a browser keeps several open that say nothing.
    public var restSeconds: Int
    /// Seconds in which it then has to bring a whole body, and take an answer.
    public var idleSeconds: Int
    /// Seconds in which a handler has to answer; then the server answers 504.
    public var answerSeconds: Int
    /// Bytes of a request's head; more is answered 431.
    public var maxHeaderBytes: Int

    public init(
        maxBodyBytes: Int = 8 << 20, maxBufferedBytes: Int = 64 << 20, maxConnections: Int = 512,
        restSeconds: Int = 15, idleSeconds: Int = 60, answerSeconds: Int = 120, maxHeaderBytes: Int = 16 << 10
    ) {
        self.maxBodyBytes = maxBodyBytes
        self.maxBufferedBytes = maxBufferedBytes
        self.maxConnections = maxConnections
        self.restSeconds = restSeconds
        self.idleSeconds = idleSeconds
        self.answerSeconds = answerSeconds
        self.maxHeaderBytes = maxHeaderBytes
    }
}
