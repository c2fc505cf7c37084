/// One request, read completely.
public struct HTTPRequest: Sendable {
    /// `GET`, `POST` …; a HEAD arrives as GET, and the server omits the body of the response.
    public let method: String
    /// The path as it was sent, still percent-encoded, without the query.
    public let target: String
    /// The path as it was sent, and the query in a form that is the same for every way to write it.
    public var address: String { target + PercentCoding.query(query) }
    /// The decoded path; `%2F` and `/` are indistinguishable here.
    public let path: String
    /// The parameters of the query in order, decoded, with `+` read as a space.
    public let query: [(name: String, value: String)]
    /// The header fields as they were sent.
    public let headers: HTTPHeaders
    /// The whole body; empty if there was none.
    public let body: [UInt8]
    /// The client's numeric address, without its port; behind a trusted proxy the one that the proxy reports.
    public let peer: String
    /// The unit of limits by address: the client's IPv4 address, or its IPv6 /64 network.
    public var network: String { ConnectionTable.key(of: peer) }
    /// Whether the request is a HEAD, which `method` shows as GET.
    public let isHead: Bool
    /// Whether the request arrived over TLS, at a trusted proxy or at this server.
    public let isSecure: Bool

    /// Creates a request from its target with the query, as it is carried inside another message.
    ///
    /// Nil if the target cannot be decoded, or is none of a server's own.
    public init?(
        method: String, target: String, headers: HTTPHeaders, body: [UInt8], peer: String, isSecure: Bool
    ) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first, first.hasPrefix("/"), let path = PercentCoding.decode(first) else { return nil }
        var query: [(name: String, value: String)] = []
        for part in parts.count == 2 ? parts[1].split(separator: "&") : [] {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentCoding.decode(String($0).replacing("+", with: "%20")) }
            guard let name = pair[0], let value = pair.count == 2 ? pair[1] : "" else { return nil }
            query.append((name, value))
        }
        self.init(
            method: method, target: first, path: path, query: query, headers: headers, body: body, peer: peer,
            isSecure: isSecure)
    }

    /// Creates a request, as the server does or a test of a handler.
    public init(
        method: String, target: String, path: String, query: [(name: String, value: String)] = [],
        headers: HTTPHeaders = [:], body: [UInt8] = [], peer: String = "", isHead: Bool = false,
        isSecure: Bool = false
    ) {
        self.method = method
        self.target = target
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.peer = peer
        self.isHead = isHead
        self.isSecure = isSecure
    }
}
