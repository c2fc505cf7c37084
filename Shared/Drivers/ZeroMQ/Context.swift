import CZeroMQ

/// The I/O threads that a process's sockets share.
///
/// Sockets hold a reference to it. When the last one is released, it ends libzmq's threads, after waiting for the
/// unsent messages of sockets with a linger. `inproc://` endpoints connect only within one context.
@safe public final class Context: Sendable {
    /// libzmq protects a context with its own locks.
    nonisolated(unsafe) let handle: UnsafeMutableRawPointer

    /// Creates a context with `ioThreads` threads; one handles about a gigabit a second.
    public init(ioThreads: Int = 1) throws(ZeroMQError) {
        guard let made = unsafe zmq_ctx_new() else { throw ZeroMQError(last: "context") }
        unsafe handle = made
        let count = Int32(clamping: ioThreads)
        guard unsafe zmq_ctx_set(made, ZMQ_IO_THREADS, count) == 0 else { throw ZeroMQError(last: "io threads") }
    }

    deinit {
        // A call interrupted by a signal has not ended the context yet.
        while unsafe zmq_ctx_term(handle) != 0, zmq_errno() == EINTR {}
    }

    /// Makes every wait and every call on this context's sockets fail with `isShutdown`; callable from any thread.
    public func shutdown() {
        unsafe zmq_ctx_shutdown(handle)
    }
}
