import CZeroMQ

/// An error of libzmq.
public struct ZeroMQError: Error, Equatable, Sendable {
    /// An errno of the system or of libzmq (zmq_errno(3)).
    public let code: Int32
    /// The call that failed, without its arguments.
    public let operation: String
    /// libzmq's description of the error.
    public let message: String

    /// Creates an error of an operation.
    public init(code: Int32, operation: String, message: String) {
        self.code = code
        self.operation = operation
        self.message = message
    }

    init(code: Int32, operation: String) {
        self.init(code: code, operation: operation, message: unsafe String(cString: zmq_strerror(code)))
    }

    /// Creates the error of the call that has just failed on this thread.
    init(last operation: String) {
        self.init(code: zmq_errno(), operation: operation)
    }

    /// Whether the context was shut down: the owner of the socket should close it and end.
    public var isShutdown: Bool { code == Code.terminated }

    /// libzmq's own numbers; the C header writes them as sums, which Swift does not import.
    enum Code {
        static let base: Int32 = 156_384_712
        static let terminated = base + 53
    }
}
