import CMicroHTTPD
import Glibc

/// A running libmicrohttpd and the socket it listens on.
///
/// Unchecked: it is stopped by the one who takes it out of its lock, and not used otherwise.
@safe
struct DaemonHandle: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let listener: Int32

    init(_ pointer: OpaquePointer, listener: Int32) {
        unsafe self.pointer = unsafe pointer
        self.listener = listener
    }

    /// Stops listening, does `meanwhile`, then ends the threads and closes the socket.
    func stop(meanwhile: () -> Void) {
        // Not MHD_quiesce_daemon: in 0.9.75 it and its own threads take the socket out of the same epoll set, and
        // whoever comes second aborts the process.
        shutdown(listener, Int32(SHUT_RDWR))
        meanwhile()
        unsafe MHD_stop_daemon(pointer)
    }
}
