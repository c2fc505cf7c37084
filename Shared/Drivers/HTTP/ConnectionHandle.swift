import CMicroHTTPD

/// libmicrohttpd's connection, as far as other threads may know it.
///
/// Unchecked: the pointer may be resumed from any thread, and whoever keeps one does so under a lock and only while
/// the connection sleeps, because libmicrohttpd never lets go of a sleeping connection.
@safe
struct ConnectionHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }

    /// Puts the connection to sleep; only from its own thread, inside a callback.
    func suspend() { unsafe MHD_suspend_connection(pointer) }

    /// Wakes a sleeping connection.
    func resume() { unsafe MHD_resume_connection(pointer) }

    /// Whether the head of its request is complete; only from its own thread.
    var hasHead: Bool { unsafe mhd_shim_head_bytes(pointer) > 0 }
}
