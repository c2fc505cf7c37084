/// The limits of journals in a cluster.
enum JetStreamLimits {
    /// Machines that store each message; an acknowledged one is synced on most of them.
    static let replicas: Int64 = 3
    /// Messages of one atomic batch, which is the limit of the server (ADR-50).
    static let batchMessages = 1_000
    /// Bytes of a batch above which the next commit begins another one.
    static let batchBytes = 4 << 20
    /// Milliseconds after which a request is repeated.
    static let requestMilliseconds: Int64 = 500
    /// Milliseconds in which a cluster may elect a leader, before the service gives up and starts again.
    ///
    /// Less than `HostLimits.hangSeconds`, so that the reason is logged before the watchdog ends the process.
    static let retryMilliseconds: Int64 = 20_000
    /// Milliseconds between two attempts.
    static let pauseMilliseconds = 25
    /// Messages that are read at once.
    static let pageMessages = 1_000
    /// Bytes of messages that are read at once.
    static let pageBytes = 4 << 20
    /// Bytes of a segment in one message. A server accepts 1 MiB at most, unless it is set otherwise.
    static let pieceBytes = 512 << 10
    /// Minutes in which the server itself refuses a second message with the same id.
    static let duplicateMinutes: Int64 = 2
}
