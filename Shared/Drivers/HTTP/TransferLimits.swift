/// The fixed limits, besides `HTTPLimits`.
enum TransferLimits {
    /// Threads of one server.
    static let threads = 2
    /// Unsent bytes of a stream to a slow client.
    static let streamBytes = 256 << 10
    /// Bytes of a stream passed to libmicrohttpd at a time.
    static let streamBlockBytes = 16 << 10
    /// Memory of a connection besides its request head: parsed fields and the response's head.
    static let connectionExtraBytes = 16 << 10
    /// A body up to this many times too large is still read to its end, so that the client sees the 413; a larger one
    /// is cut.
    static let drainedBodies = 4
    /// Bytes a second that a client has to read of a response, in addition to `idleSeconds`.
    static let slowestClient = 8 << 10
    /// Milliseconds that `stop` waits for responses to finish, and then for connections to close.
    static let stopMilliseconds = 2_000
    /// Connections waiting to be accepted.
    static let backlog = 512
    /// Networks that a policy of addresses lists.
    static let listedNetworks = 64
    /// Bytes of a header block, or of one line of events, that a client accepts.
    static let lineBytes = 1 << 20
    /// Idle connections that one client retains.
    static let idleHandles = 8
    /// Bytes that one call receives from a `ServerConnection`.
    static let connectionReadBytes = 64 << 10
    /// Seconds in which a client has to be connected.
    static let connectSeconds = 10.0
}
