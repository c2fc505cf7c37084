import CMicroHTTPD
import Synchronization

/// One request from its first byte to the end of its response; used on its connection's thread only.
@safe
final class ServerRequest {
    private let daemon: Daemon
    private let peer: Peer
    private let connection: OpaquePointer
    /// The request's target as it was sent, with its query.
    private let rawTarget: String
    private var method = ""
    private var target = ""
    /// Whether the head was read to its end.
    private(set) var hasHead = false
    /// The client that a trusted proxy names, while this request counts toward its limit.
    private var countedAs: String?
    private var headers = HTTPHeaders()
    private var body: [UInt8] = []
    /// Received bytes of the body, stored or dropped.
    private var received = 0
    /// Bytes that the body may have.
    private var mostBytes = 0
    private var refusal: HTTPResponse?
    private var turn: PendingResponse?
    private var stream: StreamBuffer?

    /// Called when the request line is complete.
    init(_ daemon: Daemon, _ peer: Peer, _ connection: OpaquePointer, target: String) {
        self.daemon = daemon
        self.peer = peer
        unsafe self.connection = unsafe connection
        rawTarget = target
        daemon.openRequests.begin()
        unsafe daemon.heads.add(self, connection, peer, isSecure: daemon.isSecure)
    }

    /// Ends the request, with or without a response.
    func finish() {
        daemon.heads.remove(self)
        if let turn { daemon.openRequests.remove(turn) }
        if let stream {
            daemon.watch.endStream(peer)
            daemon.openRequests.remove(stream)
            stream.abandon()
        }
        if let countedAs { daemon.connections.endRequest(of: countedAs) }
        peer.rest()
        peer.expect(within: daemon.limits.restSeconds)
        letGoOfBody()
        daemon.openRequests.finish()
    }

    /// Called when the head is complete; the three texts point into it.
    func begin(
        method: UnsafePointer<CChar>, path: UnsafePointer<CChar>, version: UnsafePointer<CChar>
    ) -> MHD_Result {
        hasHead = true
        daemon.heads.remove(self)
        daemon.tally.requests.add(1, ordering: .relaxed)
        peer.expect(within: daemon.limits.idleSeconds)
        daemon.connections.settle(peer)
        let (name, protocolVersion) = unsafe (String(cString: method), String(cString: version))
        self.method = name
        target = unsafe String(cString: path)
        let layout = unsafe HeadLayout(of: connection, method: method, path: path, version: version)
        headers = HTTPHeaders(layout.fields)
        if !layout.isExact(rawTarget: rawTarget) { return refuseHead(Framing.malformed) }
        if let objection = Framing.objection(target: rawTarget, version: protocolVersion, headers) {
            return refuseHead(objection)
        }
        let headBytes = headers.fields.reduce(target.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard headBytes <= daemon.limits.maxHeaderBytes else {
            return answer(.problem(431, "The head of the request is too large."))
        }
        if peer.isProxy, let refusal = countProxied() { return answer(refusal) }
        mostBytes = daemon.limits.bodyBytes(of: target)
        guard let length = headers["Content-Length"].flatMap({ Int($0) }), length > mostBytes else { return .YES }
        let refusal = HTTPResponse.problem(413, "The body is larger than \(mostBytes) bytes.")
        let (cut, overflows) = mostBytes.multipliedReportingOverflow(by: TransferLimits.drainedBodies)
        // A client that sends Expect, or whose body is not worth reading, gets the refusal now.
        if headers["Expect"] != nil || (!overflows && length > cut) { return answer(refusal) }
        self.refusal = refusal
        return .YES
    }

    /// Answers 400 and closes: it is unknown where the next request begins.
    private func refuseHead(_ detail: String) -> MHD_Result {
        daemon.tally.malformed.add(1, ordering: .relaxed)
        var response = HTTPResponse.problem(400, detail)
        response.headers["Connection"] = "close"
        return answer(response)
    }

    /// Counts a trusted proxy's request under the client that it names; returns a refusal beyond the limit.
    private func countProxied() -> HTTPResponse? {
        let client = daemon.proxies.caller(at: peer.address, isSecure: daemon.isSecure, headers).address
        guard client != peer.address else { return nil }
        guard daemon.connections.beginRequest(of: client) else {
            var response = HTTPResponse.problem(429, "Too many requests of this address are open; try again.")
            response.headers["Retry-After"] = "2"
            return response
        }
        countedAs = client
        return nil
    }

    /// Appends a part of the body.
    func append(_ bytes: UnsafeRawBufferPointer) -> MHD_Result {
        received += bytes.count
        guard refusal == nil else {
            return received / TransferLimits.drainedBodies > mostBytes ? .NO : .YES
        }
        guard received <= mostBytes else {
            refuse(.problem(413, "The body is larger than \(mostBytes) bytes."))
            return .YES
        }
        let total = daemon.tally.bufferedBytes.add(bytes.count, ordering: .relaxed).newValue
        unsafe body.append(contentsOf: bytes)
        let isLarge = received > daemon.limits.maxBodyBytes
        if total > (isLarge ? daemon.limits.maxBufferedBytes / 2 : daemon.limits.maxBufferedBytes) {
            refuse(.problem(503, "Too much is being sent at once; try again."))
        }
        return .YES
    }

    private func refuse(_ response: HTTPResponse) {
        refusal = response
        letGoOfBody()
    }

    private func letGoOfBody() {
        daemon.tally.bufferedBytes.subtract(body.count, ordering: .relaxed)
        body = []
    }

    /// Continues when the whole request is there, or when the connection is resumed.
    func proceed() -> MHD_Result {
        if let refusal { return answer(refusal) }
        if daemon.openRequests.isClosed && turn == nil { return answer(.problem(503, "The server is stopping.")) }
        let turn = self.turn ?? ask()
        guard let turn else { return answer(.problem(400, "The address of the request cannot be read.")) }
        guard let answer = unsafe turn.takeOrSuspend(ConnectionHandle(connection), whileWaiting: peer) else {
            return .YES
        }
        peer.rest()
        switch answer {
        case .whole(let response): return self.answer(response)
        case .streamed(let head, let buffer): return stream(head, buffer)
        }
    }

    /// Passes the request to the handler; returns nil if its path or query cannot be decoded.
    private func ask() -> PendingResponse? {
        let path = PercentCoding.path(ofTarget: target)
        guard let decoded = PercentCoding.decode(path), decoded.hasPrefix("/") || decoded == "*" else { return nil }
        var query: [(name: String, value: String)] = []
        for (name, value) in values(.GET_ARGUMENT_KIND) {
            guard let name = PercentCoding.decode(name), let value = PercentCoding.decode(value) else { return nil }
            query.append((name, value))
        }
        let isHead = method == "HEAD"
        let caller = daemon.proxies.caller(at: peer.address, isSecure: daemon.isSecure, headers)
        let request = HTTPRequest(
            method: isHead ? "GET" : method, target: path, path: decoded, query: query, headers: headers, body: body,
            peer: caller.address, isHead: isHead, isSecure: caller.isSecure)
        let turn = PendingResponse(openRequests: daemon.openRequests, tally: daemon.tally)
        self.turn = turn
        peer.expect(within: daemon.limits.answerSeconds)
        daemon.handler(HTTPExchange(request: request, turn: turn))
        return turn
    }

    private func answer(_ response: HTTPResponse) -> MHD_Result {
        letGoOfBody()
        peer.expect(within: daemon.limits.idleSeconds + response.body.count / TransferLimits.slowestClient)
        return unsafe ResponseQueue.queue(response, with: daemon.commonHeaders, on: connection)
    }

    private func stream(_ head: HTTPResponse, _ buffer: StreamBuffer) -> MHD_Result {
        letGoOfBody()
        peer.expect(within: nil)
        peer.stream(buffer)
        stream = buffer
        daemon.watch.beginStream(peer)
        if !daemon.openRequests.add(buffer) { buffer.close() }
        if let queued = unsafe ResponseQueue.queue(head, buffer, with: daemon.commonHeaders, on: connection) {
            return queued
        }
        buffer.end()
        return answer(.problem(500, "The answer could not be sent."))
    }

    /// Returns the query's parameters, as libmicrohttpd split them.
    private func values(_ kind: MHD_ValueKind) -> [(String, String)] {
        var found: [(String, String)] = []
        unsafe withUnsafeMutablePointer(to: &found) { found in
            _ = unsafe MHD_get_connection_values_n(
                connection, kind,
                { context, _, name, nameBytes, value, valueBytes in
                    let found = unsafe context?.assumingMemoryBound(to: [(String, String)].self)
                    let name = unsafe UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameBytes)
                    let value = unsafe UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueBytes)
                    unsafe found?.pointee.append(
                        (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
                    return .YES
                }, found)
        }
        return found
    }
}
