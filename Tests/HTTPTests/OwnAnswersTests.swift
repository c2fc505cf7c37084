import Foundation
import HTTP
import Testing

@Suite("The server's own responses")
struct OwnAnswersTests {
    private static let common: HTTPHeaders = ["X-Common": "yes", "Cache-Control": "no-store"]

    private static func start(
        _ limits: HTTPLimits = .init(), _ handler: @escaping @Sendable (HTTPExchange) -> Void
    ) throws -> HTTPServer {
        try HTTPServer(
            address: "127.0.0.1", port: 0, limits: limits, commonHeaders: common, handler: handler)
    }

    /// Returns the members of a problem; nil unless it is a complete problem response.
    private func expectProblem(_ answer: HTTPResponse, _ status: Int, _ title: String) throws {
        #expect(answer.status == status)
        #expect(answer.headers["Content-Type"] == "application/problem+json")
        #expect(answer.headers.all("X-Common") == ["yes"])
        #expect(answer.headers.all("Cache-Control") == ["no-store"])
        let read = try JSONSerialization.jsonObject(with: Data(answer.body))
        let members = try #require(read as? [String: Any])
        #expect(members["type"] as? String == "urn:furrow:problem:\(title)")
        #expect(members["title"] as? String == title)
        #expect(members["status"] as? Int == status)
        #expect((members["detail"] as? String)?.hasSuffix(".") == true)
    }

    @Test func `the server's own error responses are problems with a type, a title, a status and a detail`() throws {
        let limits = HTTPLimits(
            maxBodyBytes: 1_000, maxBufferedBytes: 500, answerSeconds: 1, maxHeaderBytes: 4_096)
        let kept = Shelf<HTTPExchange>()
        let server = try Self.start(limits) { exchange in
            switch exchange.request.path {
            case "/late": kept.put(exchange)
            case "/unsendable": exchange.respond(HTTPResponse(status: 200, headers: ["X": "a\r\nb"]))
            default: break
            }
        }
        let url = "http://127.0.0.1:\(server.port)"
        let client = HTTPClient()
        let large = [UInt8](repeating: 1, count: 2_000)
        try expectProblem(client.send("GET", "\(url)/%ff"), 400, "malformed")
        try expectProblem(client.send("POST", url, body: large), 413, "too-large")
        try expectProblem(
            client.send("GET", url, headers: [("X-Long", String(repeating: "x", count: 5_000))]), 431, "head-too-large")
        try expectProblem(client.send("POST", url, body: Array(large.prefix(800))), 503, "busy")
        try expectProblem(client.send("GET", "\(url)/dropped"), 500, "failed")
        try expectProblem(client.send("GET", "\(url)/unsendable"), 500, "failed")
        try expectProblem(client.send("GET", "\(url)/late"), 504, "no-answer")
        server.stop()
    }

    @Test func `a handler's own fields take precedence over the common ones, also in a stream`() throws {
        let server = try Self.start { exchange in
            let head = HTTPResponse(status: 200, headers: ["cache-control": "no-cache"])
            guard exchange.request.path == "/stream" else { return exchange.respond(head) }
            exchange.stream(head).close()
        }
        let client = HTTPClient()
        for path in ["/", "/stream"] {
            let headers = try client.send("GET", "http://127.0.0.1:\(server.port)\(path)").headers
            #expect(headers.all("Cache-Control") == ["no-cache"], "\(path)")
            #expect(headers.all("X-Common") == ["yes"], "\(path)")
        }
        server.stop()
    }
}
