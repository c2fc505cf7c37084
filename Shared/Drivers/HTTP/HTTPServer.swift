/// An HTTP/1.1 server on GNU libmicrohttpd with two threads; pending requests are suspended and occupy none.
///
/// The handler runs on one of the two threads and must not block: for slow work it passes the exchange to another
/// thread, which responds. `stop` must not be called from the handler.
///
/// ```
/// let server = try HTTPServer(address: "127.0.0.1", port: 0) { exchange in
///     exchange.respond(HTTPResponse(status: 200, type: "text/plain", body: Array("ok".utf8)))
/// }
/// defer { server.stop() }
/// ```
public final class HTTPServer: Sendable {
    private let daemon: Daemon

    /// The port on which it listens.
    public let port: Int

    /// Starts to listen and to serve.
    ///
    /// - Parameters:
    ///   - address: a numeric address: `127.0.0.1`, `0.0.0.0`, `::` (both families).
    ///   - port: 0 for any free port.
    ///   - tls: the identity for TLS 1.2 and 1.3; nil serves plain HTTP.
    ///   - proxies: the proxies whose forwarding headers give the client's address and scheme.
    ///   - commonHeaders: fields of every response that does not set them, the server's own included.
    public init(
        address: String, port: Int, tls: TLSIdentity? = nil, limits: HTTPLimits = .init(),
        proxies: TrustedProxies = .none, commonHeaders: HTTPHeaders = [:],
        handler: @escaping @Sendable (HTTPExchange) -> Void
    ) throws(HTTPError) {
        HTTPBrokenPipes.ignore()
        let socket = try ListeningSocket(address: address, port: port)
        self.port = socket.port
        daemon = try Daemon(
            limits: limits, isSecure: tls != nil, proxies: proxies, commonHeaders: commonHeaders, handler: handler)
        try daemon.start(on: socket.descriptor, tls: tls)
    }

    deinit { daemon.stop() }

    /// Answers 503 to pending requests, ends streams, waits two seconds for responses to finish, then stops.
    public func stop() { daemon.stop() }

    /// The limits that it was started with.
    public var limits: HTTPLimits { daemon.limits }

    /// The counters at this moment.
    public var counters: HTTPCounters {
        var counters = daemon.tally.counters
        let counts = daemon.connections.counts
        counters.connectionsRefusedTotal = counts.refused
        counters.connectionsReplacedTotal = counts.replaced
        counters.connectionsHalfOpen = counts.halfOpen
        counters.busiest = counts.busiest.map { .init(address: $0.address, connections: $0.count) }
        return counters
    }
}
