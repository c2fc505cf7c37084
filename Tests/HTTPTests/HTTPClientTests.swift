import Foundation
import HTTP
import Testing

@Suite("An HTTP client")
struct HTTPClientTests {
    @Test func `an HTTP client reports why a request could not be sent`() throws {
        let client = HTTPClient()
        let (server, _) = try HTTPServerTests.start()
        let port = server.port
        server.stop()
        let expected: [(String, HTTPError.Kind)] = [
            ("http://127.0.0.1:\(port)/", .unreachable), ("ftp://127.0.0.1/", .requestUnusable),
            ("file:///etc/passwd", .requestUnusable), ("http://a\r\nb/", .requestUnusable),
            ("http://a b/", .requestUnusable),
        ]
        for (url, kind) in expected {
            let error = #expect(throws: HTTPError.self) { _ = try client.send("GET", url) }
            #expect(error?.kind == kind, "\(url)")
        }
        let error = #expect(throws: HTTPError.self) {
            _ = try client.send("GET", "http://127.0.0.1/", headers: [("X-A", "b\r\nX-C: d")])
        }
        #expect(error?.kind == .requestUnusable)
    }

    @Test func `an HTTP client decodes a compressed body, whose size once decoded is limited`() throws {
        // By gzip: "a text that was compressed".
        let body: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4B, 0x54, 0x28, 0x49, 0xAD, 0x28,
            0x51, 0x28, 0xC9, 0x48, 0x2C, 0x51, 0x28, 0x4F, 0x2C, 0x56, 0x48, 0xCE, 0xCF, 0x2D, 0x28, 0x4A,
            0x2D, 0x2E, 0x4E, 0x4D, 0x01, 0x00, 0xB9, 0xBB, 0xA4, 0x78, 0x1A, 0x00, 0x00, 0x00,
        ]
        let (server, url) = try HTTPServerTests.start { exchange in
            let isAccepted = exchange.request.headers["Accept-Encoding"]?.contains("gzip") == true
            var response = HTTPResponse(status: 200, body: isAccepted ? body : Array("plain".utf8))
            if isAccepted { response.headers["Content-Encoding"] = "gzip" }
            exchange.respond(response)
        }
        #expect(try HTTPClient().send("GET", url).body == Array("plain".utf8))
        let decoded = try HTTPClient(acceptsCompressed: true).send("GET", url).body
        #expect(String(decoding: decoded, as: UTF8.self) == "a text that was compressed")
        let error = #expect(throws: HTTPError.self) {
            _ = try HTTPClient(maxBodyBytes: 25, acceptsCompressed: true).send("GET", url)
        }
        #expect(error?.kind == .answerTooLarge)
        server.stop()
    }

    @Test func `an HTTP client stops waiting at its timeout`() throws {
        let held = Shelf<HTTPExchange>()
        let (server, url) = try HTTPServerTests.start { held.put($0) }
        let began = ContinuousClock.now
        let error = #expect(throws: HTTPError.self) { _ = try HTTPClient().send("GET", url, timeoutSeconds: 0.3) }
        #expect(error?.kind == .timedOut)
        #expect(ContinuousClock.now - began < .seconds(5))
        held.clear()
        server.stop()
    }

    @Test func `an HTTP client accepts only status 200 for an event stream`() throws {
        let (server, url) = try HTTPServerTests.start {
            $0.respond(HTTPResponse(status: 401, body: Array("data: 1\n".utf8)))
        }
        let error = #expect(throws: HTTPError.self) {
            try HTTPClient().events(url) { _ in
                Issue.record("a line of a refusal")
                return true
            }
        }
        #expect(error?.kind == .refused(401))
        server.stop()
    }

    @Test func `an HTTP client can be used by many threads at once`() throws {
        let (server, url) = try HTTPServerTests.start()
        let client = HTTPClient()
        let done = Signal()
        let wrong = Shelf<String>()
        for thread in 0..<16 {
            let worker = Thread {
                defer { done.raise() }
                for number in 0..<25 {
                    let body = Array("\(thread)/\(number)".utf8)
                    do {
                        if try client.send("POST", url, body: body).body != body { wrong.put("another's body") }
                    } catch { wrong.put("\(error)") }
                }
            }
            worker.start()
        }
        for _ in 0..<16 { #expect(done.wait()) }
        #expect(wrong.all == [])
        #expect(server.counters.requestsTotal == 400)
        #expect(server.counters.connectionsTotal <= 80)
        print("threads: checked \(server.counters.requestsTotal) requests")
        server.stop()
    }

    /// Creates an untrusted certificate in a folder: `certificate.pem`.
    static func identity(in folder: String) throws -> TLSIdentity {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=farm.test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(folder)/key.pem",
            "-out", "\(folder)/certificate.pem",
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        return TLSIdentity(
            certificatePEM: try String(contentsOfFile: "\(folder)/certificate.pem", encoding: .utf8),
            keyPEM: try String(contentsOfFile: "\(folder)/key.pem", encoding: .utf8))
    }

    /// Returns whether `openssl s_client` can negotiate TLS 1.2 with this suite.
    private static func agrees(_ suite: String, port: Int) throws -> Bool {
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments = ["s_client", "-connect", "127.0.0.1:\(port)", "-tls1_2", "-cipher", "\(suite):@SECLEVEL=0"]
        openssl.standardInput = FileHandle.nullDevice
        openssl.standardOutput = FileHandle.nullDevice
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        return openssl.terminationStatus == 0
    }

    @Test func `a server accepts only TLS suites with authenticated encryption and forward secrecy`()
        throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "furrow-tls-\(UUID().uuidString)").path
        defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
        let server = try HTTPServer(
            address: "127.0.0.1", port: 0, tls: try Self.identity(in: folder), handler: HTTPServerTests.echo)
        defer { server.stop() }
        let good = [
            "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305",
            "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305",
        ]
        let bad = [
            "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA", "ECDHE-ECDSA-AES128-SHA256",
            "ECDHE-ECDSA-AES256-SHA384", "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA", "ECDHE-RSA-AES128-SHA256",
            "ECDHE-RSA-AES256-SHA384", "DHE-RSA-AES128-SHA", "DHE-RSA-AES256-SHA256", "AES128-SHA", "AES256-SHA256",
            "AES128-GCM-SHA256", "AES256-GCM-SHA384", "ECDHE-ECDSA-CAMELLIA128-SHA256",
        ]
        let agreed = try good.filter { try Self.agrees($0, port: server.port) }
        #expect(agreed.count >= 2)
        for suite in bad { #expect(try !Self.agrees(suite, port: server.port), "\(suite)") }
        print("suites: checked \(good.count) that may be agreed on and \(bad.count) that may not")
    }

    @Test func `an HTTP client connects over TLS only to a server with a trusted certificate`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "furrow-tls-\(UUID().uuidString)").path
        defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
        let identity = try Self.identity(in: folder)
        let streams = Shelf<HTTPStream>()
        let server = try HTTPServer(address: "127.0.0.1", port: 0, tls: identity) { exchange in
            guard exchange.request.path == "/events" else { return HTTPServerTests.echo(exchange) }
            let stream = exchange.stream(HTTPResponse(status: 200, type: "text/event-stream"))
            _ = stream.send(Array("data: sealed\n\n".utf8))
            streams.put(stream)
        }
        let url = "https://127.0.0.1:\(server.port)"
        let client = HTTPClient(caFile: "\(folder)/certificate.pem")
        let body = [UInt8](repeating: 9, count: 1 << 20)
        for _ in 0..<3 { #expect(try client.send("POST", url, body: body).body == body) }
        #expect(server.counters.connectionsTotal == 1)
        var lines: [String] = []
        try client.events("\(url)/events") { line in
            lines.append(line)
            return false
        }
        #expect(lines == ["data: sealed"])
        let untrusted = #expect(throws: HTTPError.self) { _ = try HTTPClient().send("GET", url) }
        #expect(untrusted?.kind == .untrusted)
        #expect(throws: HTTPError.self) { _ = try client.send("GET", "http://127.0.0.1:\(server.port)") }
        let old = Process()
        old.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        old.arguments = ["s_client", "-connect", "127.0.0.1:\(server.port)", "-tls1_1"]
        old.standardInput = FileHandle.nullDevice
        old.standardOutput = FileHandle.nullDevice
        old.standardError = FileHandle.nullDevice
        try old.run()
        old.waitUntilExit()
        #expect(old.terminationStatus != 0)
        server.stop()
        let broken = #expect(throws: HTTPError.self) {
            let identity = TLSIdentity(certificatePEM: "no", keyPEM: "no")
            _ = try HTTPServer(address: "127.0.0.1", port: 0, tls: identity) { _ in }
        }
        #expect(broken?.kind == .identityUnusable)
    }
}
