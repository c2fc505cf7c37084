import CNATS

/// An error of the NATS client library, or of the cluster that it talks to.
public struct NATSError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of errors that a caller treats differently.
    public enum Kind: Sendable {
        /// No reply came in time. It is unknown whether the request had an effect.
        case timedOut
        /// No server is connected, or none serves the subject at this time. A message that was sent may still arrive.
        case away
        /// Anything else, such as refused credentials or a message that is too large.
        case other
    }

    /// The kind of this error.
    public let kind: Kind
    /// The operation that failed, without its arguments.
    public let operation: String
    /// The library's description, or this module's.
    public let reason: String

    /// Creates an error.
    public init(_ kind: Kind = .other, operation: String, reason: String) {
        self.kind = kind
        self.operation = operation
        self.reason = reason
    }

    init(_ status: natsStatus, operation: String) {
        let kind: Kind =
            switch status {
            case NATS_TIMEOUT: .timedOut
            case NATS_NO_RESPONDERS, NATS_CONNECTION_DISCONNECTED, NATS_CONNECTION_CLOSED, NATS_NO_SERVER,
                NATS_IO_ERROR, NATS_STALE_CONNECTION, NATS_NOT_YET_CONNECTED,
                NATS_INSUFFICIENT_BUFFER:
                .away
            default: .other
            }
        self.init(kind, operation: operation, reason: unsafe String(cString: natsStatus_GetText(status)))
    }

    /// Throws unless a call succeeded.
    static func check(_ status: natsStatus, _ operation: String) throws(NATSError) {
        guard status == NATS_OK else { throw NATSError(status, operation: operation) }
    }

    public var description: String { "\(operation): \(reason)" }
}
