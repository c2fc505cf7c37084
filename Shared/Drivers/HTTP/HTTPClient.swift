import CCurl

/// An HTTP/1.1 client with blocking calls; any number of threads may use one at a time.
///
/// Follows no redirects, uses no proxy, and reuses connections between calls.
///
/// ```
/// let client = HTTPClient()
/// let response = try client.send("GET", "http://127.0.0.1:8080/health", timeoutSeconds: 5)
/// guard response.status == 200 else { return }
/// ```
public struct HTTPClient: Sendable {
    private let handles = CurlHandles()
    private let caFile: String?
    private let unixSocket: String?
    private let policy: AddressPolicy?
    private let maxBodyBytes: Int
    private let acceptsCompressed: Bool

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - caFile: the PEM file of the authorities to trust; nil trusts the system's.
    ///   - unixSocket: the path of a Unix socket to connect to, regardless of the host that a URL names.
    ///   - policy: the addresses to which it may connect; nil allows all.
    ///   - maxBodyBytes: bytes of a response's body once it is decoded; a larger one is `answerTooLarge`.
    ///   - acceptsCompressed: whether a server may compress bodies; the client decodes them.
    public init(
        caFile: String? = nil, unixSocket: String? = nil, policy: AddressPolicy? = nil, maxBodyBytes: Int = 64 << 20,
        acceptsCompressed: Bool = false
    ) {
        HTTPBrokenPipes.ignore()
        self.caFile = caFile
        self.policy = policy
        self.unixSocket = unixSocket
        self.maxBodyBytes = maxBodyBytes
        self.acceptsCompressed = acceptsCompressed
    }

    /// Sends one request and returns the response, regardless of its status; throws if there is none.
    ///
    /// - Parameter isBodyUnread: the response's status and headers are enough: its body is not received, and an error
    ///   after the head is none.
    public func send(
        _ method: String, _ url: String, headers: [(String, String)] = [], body: [UInt8] = [],
        timeoutSeconds: Double = 30, isBodyUnread: Bool = false
    ) throws(HTTPError) -> HTTPResponse {
        let handle = try handles.take()
        defer { handles.giveBack(handle) }
        let call = try prepared(handle, method, url, timeoutSeconds)
        call.sink.isBodyUnread = isBodyUnread
        let status = try call.perform(headers, body)
        return HTTPResponse(status: status, headers: call.sink.headers, body: call.sink.body)
    }

    /// Reads server-sent events line by line until `onLine` returns false or the server ends the response.
    ///
    /// - Parameters:
    ///   - timeoutSeconds: the longest time to read; throws `timedOut` afterwards.
    ///   - onLine: receives each line without its end; an empty line ends an event.
    /// - Throws: `refused` with the status if it is not 200.
    public func events(
        _ url: String, headers: [(String, String)] = [], timeoutSeconds: Double = 30, onLine: (String) -> Bool
    ) throws(HTTPError) {
        let handle = try handles.take()
        defer { handles.giveBack(handle) }
        let call = try prepared(handle, "GET", url, timeoutSeconds)
        var splitter = LineSplitter()
        let outcome = withoutActuallyEscaping(onLine) { onLine in
            call.sink.onBytes = { bytes in
                guard call.status == 200 else { return false }
                return splitter.take(bytes, onLine)
            }
            defer { call.sink.onBytes = nil }
            return Result { () throws(HTTPError) in
                try call.perform([("Accept", "text/event-stream")] + headers, [])
            }
        }
        let status = try outcome.get()
        guard status == 200 else { throw HTTPError(.refused(status), "events were answered with \(status)") }
        if splitter.overflowed { throw HTTPError(.answerTooLarge, "a line of events is too long") }
    }

    private func prepared(
        _ handle: CurlHandles.Handle, _ method: String, _ url: String, _ timeoutSeconds: Double
    ) throws(HTTPError) -> CurlCall {
        guard HTTPHeaders.isSendable(method, url), !url.utf8.contains(0x20) else {
            throw HTTPError(.requestUnusable, "the method or the URL cannot be sent")
        }
        let call = CurlCall(handle)
        call.sink.maxBodyBytes = maxBodyBytes
        call.prepare(method, url, timeoutSeconds: timeoutSeconds)
        if let caFile { call.set(CURLOPT_CAINFO, caFile) }
        if let policy { call.restrict(to: policy, isEncrypted: url.lowercased().hasPrefix("https://")) }
        if let unixSocket { call.set(CURLOPT_UNIX_SOCKET_PATH, unixSocket) }
        // All codings of this curl.
        if acceptsCompressed { call.set(CURLOPT_ACCEPT_ENCODING, "") }
        return call
    }
}
