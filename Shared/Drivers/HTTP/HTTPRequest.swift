/// One request, read completely.
public struct HTTPRequest: Sendable {
    /// `GET`, `POST` …; a HEAD arrives as GET, and the server leaves the body of the answer out.
    public let method: String
    /// The path as it was sent, still percent-encoded, without the query.
    public let target: String
    /// The path with its percent-encoding undone; `%2F` and `/` look alike here.
    public let path: String
    /// The query's parts in order, decoded, `+` read as a space.
    public let query: [(name: String, value: String)]
    public let headers: HTTPHeaders
    public let body: [UInt8]
    /// The client's numeric address, without its port; behind a trusted proxy the one that the proxy tells.
    public let peer: String
    /// What limits by address count together: the client's IPv4 address, or its IPv6 network of 64 bits.
    public var network: String { ConnectionTable.key(of: peer) }
    public let isHead: Bool
    /// Whether it came over TLS, to a trusted proxy or to this server.
    public let isSecure: Bool

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
