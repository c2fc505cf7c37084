import CMicroHTTPD

/// Queues responses in libmicrohttpd.
enum ResponseQueue {
    /// Queues a whole response; sends a 500 instead if it cannot be sent.
    ///
    /// - Parameter common: fields to add unless the response has one of that name.
    static func queue(
        _ response: HTTPResponse, with common: HTTPHeaders, on connection: OpaquePointer
    ) -> MHD_Result {
        guard let made = unsafe make(response, common) else {
            guard let problem = unsafe make(.problem(500, "The answer could not be sent."), common) else { return .NO }
            return unsafe hand(problem, 500, to: connection)
        }
        return unsafe hand(made, response.status, to: connection)
    }

    /// Queues a head and a body from `buffer`; returns nil if the head cannot be sent.
    static func queue(
        _ head: HTTPResponse, _ buffer: StreamBuffer, with common: HTTPHeaders, on connection: OpaquePointer
    ) -> MHD_Result? {
        guard isSendable(head) else { return nil }
        // Released by the last callback below, which is called exactly once.
        let held = unsafe Unmanaged.passRetained(buffer)
        let made = unsafe MHD_create_response_from_callback(
            mhd_shim_size_unknown(), TransferLimits.streamBlockBytes,
            { pointer, _, bytes, count in
                guard let pointer = unsafe pointer, let bytes = unsafe bytes else { return -2 }
                let buffer = unsafe Unmanaged<StreamBuffer>.fromOpaque(pointer).takeUnretainedValue()
                return unsafe buffer.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: count))
            }, held.toOpaque(),
            { pointer in
                guard let pointer = unsafe pointer else { return }
                unsafe Unmanaged<StreamBuffer>.fromOpaque(pointer).takeRetainedValue().end()
            })
        guard let made = unsafe made else {
            unsafe held.release()
            return nil
        }
        unsafe add(head.headers, common, to: made)
        unsafe buffer.attach(to: connection)
        return unsafe hand(made, head.status, to: connection)
    }

    private static func hand(_ made: OpaquePointer, _ status: Int, to connection: OpaquePointer) -> MHD_Result {
        defer { unsafe MHD_destroy_response(made) }
        return unsafe MHD_queue_response(connection, UInt32(status), made)
    }

    private static func make(_ response: HTTPResponse, _ common: HTTPHeaders) -> OpaquePointer? {
        guard isSendable(response) else { return nil }
        let made = unsafe response.body.withUnsafeBytes { bytes in
            unsafe MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
        }
        if let made = unsafe made { unsafe add(response.headers, common, to: made) }
        return unsafe made
    }

    private static func isSendable(_ response: HTTPResponse) -> Bool {
        (200...999).contains(response.status) && response.headers.fields.allSatisfy(HTTPHeaders.isSendable)
    }

    /// Adds the fields except those of length and framing, which libmicrohttpd sets.
    private static func add(_ headers: HTTPHeaders, _ common: HTTPHeaders, to made: OpaquePointer) {
        for (name, value) in common.fields where headers[name] == nil {
            _ = unsafe MHD_add_response_header(made, name, value)
        }
        for (name, value) in headers.fields
        where !HTTPHeaders.areSame(name, "Content-Length") && !HTTPHeaders.areSame(name, "Transfer-Encoding") {
            _ = unsafe MHD_add_response_header(made, name, value)
        }
    }
}
