import CMicroHTTPD

/// A connection of libmicrohttpd, restricted to what other threads may do with it.
///
/// Unchecked: any thread may resume the pointer. Its holder does so under a lock and only while the connection is
/// suspended, because libmicrohttpd never frees a suspended connection.
@safe
struct ConnectionHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }

    /// Suspends the connection; callable only on its own thread, inside a callback.
    func suspend() { unsafe MHD_suspend_connection(pointer) }

    /// Resumes a suspended connection.
    func resume() { unsafe MHD_resume_connection(pointer) }

    /// Whether the head of its request is complete; callable only on its own thread.
    var hasHead: Bool { unsafe mhd_shim_head_bytes(pointer) > 0 }
}
