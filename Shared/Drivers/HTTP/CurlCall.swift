import CCurl
import Glibc

/// One call of libcurl, from its options to its result or error.
@safe
struct CurlCall {
    /// The response so far; libcurl's callbacks write into it.
    @safe final class Sink {
        var headers = HTTPHeaders()
        var headerBytes = 0
        var body: [UInt8] = []
        var overflowed = false
        var maxBodyBytes = Int.max
        var stopped = false
        /// The addresses to which the call may connect; nil allows all.
        var policy: (addresses: AddressPolicy, isEncrypted: Bool)?
        /// An address that the policy refused.
        var refused: String?
        /// What libcurl calls before it opens a socket; has the address of the sink.
        let gate = UnsafeMutablePointer<curl_shim_gate>.allocate(capacity: 1)
        /// Receives the body in pieces instead of `body`; returns false to stop.
        var onBytes: (([UInt8]) -> Bool)?
        /// Whether the head of the response is all that is wanted.
        var isBodyUnread = false

        init() { unsafe gate.initialize(to: curl_shim_gate()) }

        deinit { unsafe gate.deallocate() }
    }

    let curl: UnsafePointer<curl_shim>
    let handle: UnsafeMutableRawPointer
    let sink = Sink()

    init(_ handle: CurlHandles.Handle) {
        unsafe curl = unsafe handle.curl.table
        unsafe self.handle = unsafe handle.pointer
    }

    func set(_ option: CURLoption, _ value: Int) { unsafe curl_shim_set_long(curl, handle, option, value) }

    /// Sets an option to a text, which libcurl copies.
    func set(_ option: CURLoption, _ value: String) { unsafe curl_shim_set_pointer(curl, handle, option, value) }

    /// Sets the options of every call: no proxies, no signals, no other schemes, and limits.
    func prepare(_ url: String, schemes: String, timeoutSeconds: Double) {
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_PROXY, "")
        set(CURLOPT_PROTOCOLS_STR, schemes)
        set(CURLOPT_URL, url)
        let milliseconds = max(1, min(timeoutSeconds * 1_000, 86_400_000))
        set(CURLOPT_TIMEOUT_MS, Int(milliseconds))
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(milliseconds, TransferLimits.connectSeconds * 1_000)))
    }

    /// Sets the options of an HTTP request, with its sink.
    func prepare(_ method: String, _ url: String, timeoutSeconds: Double) {
        prepare(url, schemes: "http,https", timeoutSeconds: timeoutSeconds)
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        set(CURLOPT_CUSTOMREQUEST, method)
        if method == "HEAD" { set(CURLOPT_NOBODY, 1) }
        let context = unsafe Unmanaged.passUnretained(sink).toOpaque()
        unsafe curl_shim_set_pointer(curl, handle, CURLOPT_HEADERDATA, context)
        unsafe curl_shim_set_pointer(curl, handle, CURLOPT_WRITEDATA, context)
        unsafe curl_shim_set_sink(curl, handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let context = unsafe context else { return 0 }
            let sink = unsafe Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
            return unsafe sink.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        unsafe curl_shim_set_sink(curl, handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let context = unsafe context else { return 0 }
            let sink = unsafe Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
            return unsafe sink.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
    }

    /// Sends the request and waits for the whole response; returns the status.
    func perform(_ headers: [(String, String)], _ body: [UInt8]) throws(HTTPError) -> Int {
        var list: UnsafeMutablePointer<curl_slist>?
        defer { unsafe curl_shim_free_list(curl, list) }
        // By default libcurl waits for a 100 and declares the body to be a form.
        var lines = ["Expect:"]
        if !headers.contains(where: { HTTPHeaders.areSame($0.0, "Content-Type") }) { lines.append("Content-Type:") }
        for (name, value) in headers {
            guard HTTPHeaders.isSendable(name, value) else {
                throw HTTPError(.requestUnusable, "a header cannot be sent")
            }
            // libcurl's notation for an empty field.
            lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        for line in lines { unsafe list = unsafe curl_shim_append(curl, list, line) }
        unsafe curl_shim_set_pointer(curl, handle, CURLOPT_HTTPHEADER, list)
        let code = unsafe body.withUnsafeBytes { bytes in
            if bytes.count > 0 {
                unsafe curl_shim_set_size(curl, handle, CURLOPT_POSTFIELDSIZE_LARGE, bytes.count)
                unsafe curl_shim_set_pointer(curl, handle, CURLOPT_POSTFIELDS, bytes.baseAddress)
            }
            return unsafe curl_shim_perform(curl, handle)
        }
        if sink.overflowed { throw HTTPError(.answerTooLarge, "the answer is too large") }
        if code == CURLE_COULDNT_CONNECT, let refused = sink.refused {
            throw HTTPError(.addressForbidden, "connections to \(refused) are not allowed")
        }
        // 100 to 199 precede the response.
        if sink.isBodyUnread, status >= 200 { return status }
        if code != CURLE_OK && !sink.stopped { throw error(code) }
        return status
    }

    /// The status of the response so far.
    var status: Int { unsafe curl_shim_status(curl, handle) }

    func error(_ code: CURLcode) -> HTTPError {
        let reason = unsafe String(cString: curl_shim_reason(curl, code))
        return switch code {
        case CURLE_OPERATION_TIMEDOUT: HTTPError(.timedOut, reason)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: HTTPError(.unreachable, reason)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CONNECT_ERROR,
            CURLE_SSL_ISSUER_ERROR:
            HTTPError(.untrusted, reason)
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: HTTPError(.requestUnusable, reason)
        case CURLE_OUT_OF_MEMORY: HTTPError(.exhausted, reason)
        default: HTTPError(.broken, reason)
        }
    }
}

extension CurlCall.Sink {
    /// Parses one line of a header block; a new status line starts a new block (after a 100, for example).
    func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        headerBytes += bytes.count
        guard headerBytes <= TransferLimits.lineBytes else {
            overflowed = true
            return 0
        }
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            headers = HTTPHeaders()
        } else if let colon = line.firstIndex(of: ":") {
            headers.add(String(line[..<colon]), Self.trimmed(line[line.index(after: colon)...]))
        }
        return bytes.count
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard !isBodyUnread else { return 0 }
        if let onBytes {
            guard onBytes(unsafe Array(bytes)) else {
                stopped = true
                return 0
            }
            return bytes.count
        }
        guard body.count + bytes.count <= maxBodyBytes else {
            overflowed = true
            return 0
        }
        unsafe body.append(contentsOf: bytes)
        return bytes.count
    }
}
