import CMicroHTTPD
import Glibc

/// A running libmicrohttpd.
///
/// Unchecked: it is stopped by the one who takes it out of its lock, and not used otherwise.
@safe
struct DaemonHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }

    /// Stops listening, does `meanwhile`, then closes every connection and ends the threads.
    func stop(meanwhile: () -> Void) {
        let socket = unsafe MHD_quiesce_daemon(pointer)
        // Refuses at once who would connect now; the number stays taken until no thread can use it any more.
        if socket >= 0 { shutdown(socket, Int32(SHUT_RDWR)) }
        meanwhile()
        unsafe MHD_stop_daemon(pointer)
        if socket >= 0 { close(socket) }
    }
}
