import Foundation
import HTTP
import Testing

@Suite("A connection to a server")
struct ServerConnectionTests {
    @Test func `bytes are sent and received as they are, and the end of the server is an error`() throws {
        let (server, _) = try HTTPServerTests.start { $0.respond(HTTPResponse(status: 200, body: Array("here".utf8))) }
        defer { server.stop() }
        let connection = try ServerConnection(to: "127.0.0.1:\(server.port)", isSecure: false)
        #expect(connection.descriptor >= 0)
        #expect(try connection.read(limit: 100) == [])
        let request = Array("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8)
        #expect(try connection.write(request[...]) == request.count)
        var received: [UInt8] = []
        var ended: HTTPError?
        let deadline = ContinuousClock.now + .seconds(20)
        while ended == nil, ContinuousClock.now < deadline {
            do throws(HTTPError) { received += try connection.read(limit: 7) } catch { ended = error }
        }
        #expect(String(decoding: received, as: UTF8.self).hasPrefix("HTTP/1.1 200"))
        #expect(String(decoding: received, as: UTF8.self).hasSuffix("here"))
        #expect(ended?.kind == .broken)
    }

    @Test func `a server that is not there, and one that has no TLS, are errors and free everything`() throws {
        let (server, _) = try HTTPServerTests.start()
        let port = server.port
        for _ in 0..<20 {
            let plain = #expect(throws: HTTPError.self) {
                _ = try ServerConnection(to: "127.0.0.1:\(port)", isSecure: true, timeoutSeconds: 5)
            }
            #expect(plain?.kind == .untrusted)
        }
        server.stop()
        for _ in 0..<100 {
            let away = #expect(throws: HTTPError.self) {
                _ = try ServerConnection(to: "127.0.0.1:\(port)", isSecure: false, timeoutSeconds: 5)
            }
            #expect(away?.kind == .unreachable)
        }
        let bad = #expect(throws: HTTPError.self) { _ = try ServerConnection(to: "a b\r\n", isSecure: false) }
        #expect(bad?.kind == .requestUnusable)
    }
}
