/// An error of the server or the client; contains no headers or bodies.
public struct HTTPError: Error, Equatable, Sendable {
    /// The kind of the error.
    public enum Kind: Equatable, Sendable {
        /// The server's address is not numeric or does not belong to this machine.
        case addressUnusable
        /// Another process listens on this port.
        case portTaken(Int)
        /// The certificate and key are unusable.
        case identityUnusable
        /// The system has no socket, thread or memory left.
        case exhausted
        /// The URL, method or a header cannot be sent.
        case requestUnusable
        /// The host resolves to addresses to which the client may not connect.
        case addressForbidden
        /// No connection could be established.
        case unreachable
        /// The peer's certificate is not trusted.
        case untrusted
        case timedOut
        case answerTooLarge
        /// A request for events got a response with this status.
        case refused(Int)
        /// The connection ended before the response did, or the response was not HTTP.
        case broken
    }

    /// The kind of the error.
    public let kind: Kind
    /// A description for logs.
    public let message: String

    /// Creates an error with a description for logs.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
