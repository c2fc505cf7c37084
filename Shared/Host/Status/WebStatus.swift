import HTTP
import JSON

/// The connections of one HTTP listener, for operators.
struct WebStatus: Sendable {
    let port: Int
    let limits: HTTPLimits
    let counters: HTTPCounters

    func write(to json: inout JSONWriter) {
        json.field("port", port)
        json.field("connections", counters.connectionsOpen)
        json.field("connectionsAtMost", limits.maxConnections)
        json.field("halfOpen", counters.connectionsHalfOpen)
        json.field("halfOpenPerAddress", limits.maxHalfOpenPerAddress)
        json.field("perAddress", limits.maxPerAddress)
        json.field("refused", counters.connectionsRefusedTotal)
        json.field("replaced", counters.connectionsReplacedTotal)
        json.field("malformed", counters.requestsMalformedTotal)
        json.field("busiest", ifPresent: counters.busiest?.address)
        json.field("busiestHolds", ifPresent: counters.busiest?.connections)
    }

    /// Sets the gauges for Prometheus; they contain no addresses.
    func show(_ gauge: (String, Double, [String: String]) -> Void) {
        let port = ["port": String(port)]
        gauge("http_connections", Double(counters.connectionsOpen), port)
        gauge("http_connections_half_open", Double(counters.connectionsHalfOpen), port)
        gauge("http_connections_of_busiest_address", Double(counters.busiest?.connections ?? 0), port)
        gauge("http_connections_refused", Double(counters.connectionsRefusedTotal), port)
        gauge("http_connections_replaced", Double(counters.connectionsReplacedTotal), port)
        gauge("http_connections_timed_out", Double(counters.connectionsTimedOutTotal), port)
        gauge("http_requests", Double(counters.requestsTotal), port)
        gauge("http_requests_malformed", Double(counters.requestsMalformedTotal), port)
    }
}
