/// An HTTP/1.1 server on GNU libmicrohttpd: two threads, everything that takes time suspended.
///
/// The handler runs on one of the two threads and must not block: what takes time keeps the exchange and answers it
/// from elsewhere. `stop` may not be called from inside the handler.
public final class HTTPServer: Sendable {
    private let daemon: Daemon

    /// The port it listens on.
    public let port: Int

    /// Starts to listen and to serve.
    ///
    /// - Parameters:
    ///   - address: a numeric address: `127.0.0.1`, `0.0.0.0`, `::` (both families).
    ///   - port: 0 for any that is free.
    ///   - tls: who to be over TLS 1.2 and 1.3; nil serves plain HTTP.
    ///   - proxies: whose word is taken for who calls, and whether over TLS.
    ///   - commonHeaders: what every answer carries, the server's own included, unless it says otherwise.
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

    /// Answers 503 to what is pending, ends streams, lets answers under way leave for two seconds, then stops.
    public func stop() { daemon.stop() }

    public var limits: HTTPLimits { daemon.limits }

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
