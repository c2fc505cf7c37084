import CMicroHTTPD
import Glibc

/// A running libmicrohttpd and its listening socket.
///
/// Unchecked: only the caller that takes it out of its lock stops it, and nothing else uses it.
@safe
struct DaemonHandle: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let listener: Int32

    init(_ pointer: OpaquePointer, listener: Int32) {
        unsafe self.pointer = unsafe pointer
        self.listener = listener
    }

    /// Stops listening, calls `meanwhile`, then ends the threads and closes the socket.
    func stop(meanwhile: () -> Void) {
        // Not MHD_quiesce_daemon: in 0.9.75 it and the library's threads both remove the socket from the same epoll
        // set, and the second one aborts the process.
        shutdown(listener, Int32(SHUT_RDWR))
        meanwhile()
        unsafe MHD_stop_daemon(pointer)
    }
}
