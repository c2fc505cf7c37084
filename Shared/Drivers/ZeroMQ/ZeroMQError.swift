import CZeroMQ

/// What libzmq refused to do.
///
/// `code` is an errno of the system or of libzmq (zmq_errno(3)), `operation` the call without its arguments.
public struct ZeroMQError: Error, Equatable, Sendable {
    public let code: Int32
    public let operation: String
    public let message: String

    public init(code: Int32, operation: String, message: String) {
        self.code = code
        self.operation = operation
        self.message = message
    }

    init(code: Int32, operation: String) {
        self.init(code: code, operation: operation, message: unsafe String(cString: zmq_strerror(code)))
    }

    /// The error of the call that has just failed on this thread.
    init(last operation: String) {
        self.init(code: zmq_errno(), operation: operation)
    }

    /// True when the context was shut down: the owner of the socket should close it and go.
    public var isShutdown: Bool { code == Code.terminated }

    /// libzmq's own numbers; the header writes them as sums that Swift does not import.
    enum Code {
        static let base: Int32 = 156_384_712
        static let terminated = base + 53
    }
}
