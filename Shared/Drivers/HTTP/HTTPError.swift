/// What went wrong in serving or asking, without headers or bodies.
public struct HTTPError: Error, Equatable, Sendable {
    /// What kind of trouble it was.
    public enum Kind: Equatable, Sendable {
        /// The server's address is not numeric or not ours.
        case addressUnusable
        /// Somebody else listens on this port.
        case portTaken(Int)
        /// Certificate and key cannot be used.
        case identityUnusable
        /// The system gave no socket, thread or memory.
        case exhausted
        /// The URL, method or a header cannot be sent.
        case requestUnusable
        /// Nobody answers there.
        case unreachable
        /// The other side's certificate is not trusted.
        case untrusted
        case timedOut
        case answerTooLarge
        /// The answer has this status where events were asked for.
        case refused(Int)
        /// The connection ended before the answer did, or the answer was not HTTP.
        case broken
    }

    public let kind: Kind
    public let message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
