import CZeroMQ

/// The I/O threads that a process' sockets share.
///
/// Sockets keep it alive; when the last one has gone it ends libzmq's threads, waiting for what sockets with a linger
/// still have to send. `inproc://` endpoints meet only within one context.
@safe public final class Context: Sendable {
    /// libzmq guards a context with locks of its own.
    nonisolated(unsafe) let handle: UnsafeMutableRawPointer

    /// Makes a context with `ioThreads` threads; one carries about a gigabit a second.
    public init(ioThreads: Int = 1) throws(ZeroMQError) {
        guard let made = unsafe zmq_ctx_new() else { throw ZeroMQError(last: "context") }
        unsafe handle = made
        let count = Int32(clamping: ioThreads)
        guard unsafe zmq_ctx_set(made, ZMQ_IO_THREADS, count) == 0 else { throw ZeroMQError(last: "io threads") }
    }

    deinit {
        // Interrupted by a signal, the call has not ended the context yet.
        while unsafe zmq_ctx_term(handle) != 0, zmq_errno() == EINTR {}
    }

    /// Makes every wait and every call on this context's sockets fail with `isShutdown`, from any thread.
    public func shutdown() {
        unsafe zmq_ctx_shutdown(handle)
    }
}
