import HTTP
import Telemetry

/// The HTTP endpoint of `/healthz`, `/readyz` and `/metrics`, at the loopback address unless another one is set.
struct OpsEndpoint {
    private let server: HTTPServer

    init(address: String? = nil, port: Int, health: HealthRegistry) throws(HTTPError) {
        server = try HTTPServer(address: address ?? "127.0.0.1", port: port) { exchange in
            exchange.respond(Self.response(to: exchange.request.path, health))
        }
    }

    var port: Int { server.port }

    func close() {
        server.stop()
    }

    private static func response(to path: String, _ health: HealthRegistry) -> HTTPResponse {
        switch path {
        case "/healthz":
            HTTPResponse(status: 200, type: "application/json", body: Array("{\"status\":\"ok\"}".utf8))
        case "/readyz":
            HTTPResponse(
                status: health.report.isReady ? 200 : 503, type: "application/json", body: health.report.json)
        case "/metrics":
            HTTPResponse(status: 200, type: "text/plain; version=0.0.4", body: Array(health.metrics.utf8))
        default:
            HTTPResponse(status: 404, type: "text/plain", body: Array("/healthz /readyz /metrics\n".utf8))
        }
    }
}
