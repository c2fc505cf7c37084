/// What may grow here besides `HTTPLimits`, and how far.
enum TransferLimits {
    /// Threads that read and write for one server.
    static let threads = 2
    /// Bytes that wait in a stream for a client that reads slowly.
    static let streamBytes = 256 << 10
    /// Bytes of a stream handed to libmicrohttpd at a time.
    static let streamBlockBytes = 16 << 10
    /// Memory of a connection besides its request head: parsed fields and the answer's head.
    static let connectionExtraBytes = 16 << 10
    /// A body this many times too large is still read to its end, so that the client sees the 413; a larger one is cut.
    static let drainedBodies = 4
    /// Bytes a second that a client has to take of an answer, on top of `idleSeconds`.
    static let slowestClient = 8 << 10
    /// Milliseconds that `stop` waits for answers under way, and then for connections to close.
    static let stopMilliseconds = 2_000
    /// Connections waiting to be accepted.
    static let backlog = 512
    /// Bytes of an answer that a client keeps.
    static let answerBytes = 64 << 20
    /// Bytes of a header block, or of one line of events, that a client keeps.
    static let lineBytes = 1 << 20
    /// Idle connections that one client keeps.
    static let idleHandles = 8
    /// Seconds in which a client has to be connected.
    static let connectSeconds = 10.0
}
