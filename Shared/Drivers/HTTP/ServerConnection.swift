import CCurl

/// A stream of bytes to a server over TCP or TLS, by libcurl, for protocols other than HTTP.
///
/// Connecting blocks, so it happens on a thread of its own. Afterwards every call returns at once.
///
/// Unchecked: one thread connects and passes it on; from then on only the receiving thread uses it.
@safe
public final class ServerConnection: @unchecked Sendable {
    private let handle: CurlHandles.Handle
    /// The descriptor to poll for input.
    public let descriptor: Int32
    /// Reused for each read.
    private var room = [UInt8](repeating: 0, count: TransferLimits.connectionReadBytes)

    /// Connects, and for TLS verifies the server's certificate and name.
    ///
    /// - Parameters:
    ///   - authority: host and port: `broker.example.com:8883`.
    ///   - caFile: the PEM file of the authorities to trust; nil trusts the system's.
    /// - Throws: if there is no connection within `timeoutSeconds`, or its certificate is not trusted.
    public init(
        to authority: String, isSecure: Bool, caFile: String? = nil, timeoutSeconds: Double = 10
    ) throws(HTTPError) {
        HTTPBrokenPipes.ignore()
        let url = "\(isSecure ? "https" : "http")://\(authority)/"
        guard HTTPHeaders.isSendable("CONNECT", url), !url.utf8.contains(0x20) else {
            throw HTTPError(.requestUnusable, "the address cannot be used")
        }
        guard let curl = Curl.loaded, let pointer = unsafe curl_shim_make(curl.table) else {
            throw HTTPError(.exhausted, "libcurl cannot be loaded")
        }
        handle = unsafe CurlHandles.Handle(curl: curl, pointer: pointer)
        let call = CurlCall(handle)
        call.prepare(url, schemes: "http,https", timeoutSeconds: timeoutSeconds)
        call.set(CURLOPT_CONNECT_ONLY, 1)
        call.set(CURLOPT_SSL_ENABLE_ALPN, 0)
        call.set(CURLOPT_TCP_KEEPALIVE, 1)
        if let caFile { call.set(CURLOPT_CAINFO, caFile) }
        let code = unsafe curl_shim_perform(call.curl, call.handle)
        descriptor = unsafe curl_shim_socket(call.curl, call.handle)
        guard code == CURLE_OK, descriptor >= 0 else {
            // Every property is set, so `deinit` runs and frees the handle.
            throw code == CURLE_OK ? HTTPError(.broken, "there is no socket") : call.error(code)
        }
    }

    deinit { handle.free() }

    /// Returns the bytes that have arrived, about `limit` at most; empty if there are none. Throws at the end.
    ///
    /// Decrypted bytes may be left while the descriptor is not readable; the next read returns them.
    public func read(limit: Int) throws(HTTPError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            var count = 0
            let size = room.count
            let code = unsafe room.withUnsafeMutableBytes { room in
                unsafe curl_shim_receive(handle.curl.table, handle.pointer, room.baseAddress, size, &count)
            }
            if code == CURLE_AGAIN { break }
            guard code == CURLE_OK, count > 0 else {
                // What arrived before the end is returned first.
                if !bytes.isEmpty { break }
                throw code == CURLE_OK ? HTTPError(.broken, "the server has ended the connection") : error(code)
            }
            bytes += room[..<count]
        }
        return bytes
    }

    /// Sends as many of the bytes as the connection accepts now, and returns how many. Throws if it is broken.
    public func write(_ bytes: ArraySlice<UInt8>) throws(HTTPError) -> Int {
        var written = 0
        while written < bytes.count {
            var count = 0
            let code = unsafe bytes.withUnsafeBytes { left in
                unsafe curl_shim_send(
                    handle.curl.table, handle.pointer, left.baseAddress?.advanced(by: written), left.count - written,
                    &count)
            }
            if code == CURLE_AGAIN { break }
            guard code == CURLE_OK else { throw error(code) }
            written += count
        }
        return written
    }

    private func error(_ code: CURLcode) -> HTTPError { CurlCall(handle).error(code) }
}
