import Foundation
import HTTP
import Testing

@Suite("An HTTP server")
struct HTTPServerTests {
    /// Responds with the request's own data.
    static func echo(_ exchange: HTTPExchange) {
        let request = exchange.request
        var response = HTTPResponse(status: 200, type: "application/octet-stream", body: request.body)
        response.headers.add("X-Method", request.method)
        response.headers.add("X-Target", request.target)
        response.headers.add("X-Peer", request.peer)
        exchange.respond(response)
    }

    static func start(
        limits: HTTPLimits = .init(), _ handler: @escaping @Sendable (HTTPExchange) -> Void = echo
    ) throws -> (server: HTTPServer, url: String) {
        let server = try HTTPServer(address: "127.0.0.1", port: 0, limits: limits, handler: handler)
        return (server, "http://127.0.0.1:\(server.port)")
    }

    @Test func `an HTTP server echoes bodies of any size`() throws {
        let (server, url) = try Self.start()
        let client = HTTPClient()
        for size in [0, 1, 1_000, 65_536, 1 << 20, 8 << 20] {
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let answer = try client.send("POST", "\(url)/a%20b", body: body)
            #expect(answer.status == 200)
            #expect(answer.body == body)
            #expect(answer.headers["x-target"] == "/a%20b")
            #expect(answer.headers["X-PEER"] == "127.0.0.1")
        }
        #expect(server.counters.connectionsTotal == 1, "the client keeps its connection")
        #expect(server.counters.requestsTotal == 6)
        server.stop()
    }

    @Test func `an HTTP server passes method, path, query and headers to the handler`() throws {
        let seen = Shelf<HTTPRequest>()
        let (server, url) = try Self.start { exchange in
            seen.put(exchange.request)
            exchange.respond(HTTPResponse(status: 204))
        }
        let client = HTTPClient()
        let target = "/M%C3%B6hre/a%2Fb"
        let query = "?lot=12&lot=1%2B3+4&flag&empty=&%C3%A4=%26"
        _ = try client.send("DELETE", url + target + query, headers: [("X-One", "1"), ("x-ONE", "2"), ("X-Empty", "")])
        let request = try #require(seen.all.first)
        #expect(request.method == "DELETE")
        #expect(request.target == target)
        #expect(request.path == "/Möhre/a/b")
        #expect(request.query.map(\.name) == ["lot", "lot", "flag", "empty", "ä"])
        #expect(request.query.map(\.value) == ["12", "1+3 4", "", "", "&"])
        #expect(request.headers.all("x-one") == ["1", "2"])
        #expect(request.headers["X-Empty"] == "")
        for bad in ["/%", "/%0", "/%zz", "/a%00b", "/%ff", "/ok?%zz=1", "/ok?a=%00"] {
            #expect(try client.send("GET", url + bad).status == 400)
        }
        #expect(seen.all.count == 1)
        server.stop()
    }

    @Test func `an HTTP server answers HEAD like GET without the body`() throws {
        let (server, url) = try Self.start { exchange in
            exchange.respond(HTTPResponse(status: 200, type: "text/plain", body: Array(exchange.request.method.utf8)))
        }
        let answer = try HTTPClient().send("HEAD", url)
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(answer.headers["Content-Length"] == "3")
        server.stop()
    }

    @Test func `an HTTP server refuses bodies that are too large`() throws {
        let limits = HTTPLimits(maxBodyBytes: 100_000)
        let (server, url) = try Self.start(limits: limits)
        let client = HTTPClient()
        #expect(try client.send("POST", url, body: [UInt8](repeating: 1, count: 100_000)).status == 200)
        #expect(try client.send("POST", url, body: [UInt8](repeating: 1, count: 100_001)).status == 413)
        #expect(try client.send("POST", url, body: [UInt8](repeating: 1, count: 390_000)).status == 413)
        // Without a declared length, the size is detected while reading.
        let chunk = String(repeating: "x", count: 0x8000)
        let chunked = try RawConnection(port: server.port)
        chunked.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<5 { chunked.send("8000\r\n\(chunk)\r\n") }
        chunked.send("0\r\n\r\n")
        #expect(chunked.read { $0.contains("larger than") }.hasPrefix("HTTP/1.1 413"))
        // A client that sends Expect, or a body far beyond the limit, is refused before the body is read.
        for head in ["Content-Length: 200000\r\nExpect: 100-continue", "Content-Length: 99999999999"] {
            let asking = try RawConnection(port: server.port)
            asking.send("POST / HTTP/1.1\r\nHost: a\r\n\(head)\r\n\r\n")
            #expect(asking.read { $0.contains("larger than") }.hasPrefix("HTTP/1.1 413"))
        }
        server.stop()
    }

    @Test func `an HTTP server answers 503 when all bodies together are too large`() throws {
        let limits = HTTPLimits(maxBodyBytes: 1 << 20, maxBufferedBytes: 1 << 20)
        let held = Shelf<HTTPExchange>()
        let (server, url) = try Self.start(limits: limits) { exchange in
            if exchange.request.path == "/hold" { held.put(exchange) } else { Self.echo(exchange) }
        }
        let holder = try RawConnection(port: server.port)
        holder.send("POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n")
        holder.send(String(repeating: "h", count: 900_000))
        while held.all.isEmpty { sched_yield() }
        let client = HTTPClient()
        #expect(try client.send("POST", url, body: [UInt8](repeating: 1, count: 300_000)).status == 503)
        for exchange in held.all { exchange.respond(HTTPResponse(status: 200)) }
        #expect(holder.read { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 200"))
        held.clear()
        #expect(try client.send("POST", url, body: [UInt8](repeating: 1, count: 300_000)).status == 200)
        server.stop()
    }

    @Test func `an exchange can be answered later and from another thread`() throws {
        let (server, url) = try Self.start { exchange in
            let worker = Thread { exchange.respond(HTTPResponse(status: 202, body: exchange.request.body)) }
            worker.start()
        }
        let client = HTTPClient()
        for number in 0..<200 {
            let answer = try client.send("PUT", url, body: Array("\(number)".utf8))
            #expect(answer.status == 202)
            #expect(answer.body == Array("\(number)".utf8))
        }
        print("answered from another thread: checked 200")
        server.stop()
    }

    @Test func `a second response to an exchange is ignored and counted`() throws {
        let (server, url) = try Self.start { exchange in
            exchange.respond(HTTPResponse(status: 201))
            exchange.respond(HTTPResponse(status: 202))
            #expect(!exchange.stream(HTTPResponse(status: 203)).isOpen)
        }
        #expect(try HTTPClient().send("GET", url).status == 201)
        #expect(server.counters.answersIgnoredTotal == 2)
        #expect(server.counters.exchangesDroppedTotal == 0)
        server.stop()
    }

    @Test func `an exchange that is dropped is answered 500`() throws {
        let held = Shelf<HTTPExchange>()
        let arrived = Signal()
        let (server, url) = try Self.start { exchange in
            guard exchange.request.path == "/later" else { return }
            held.put(exchange)
            arrived.raise()
        }
        #expect(try HTTPClient().send("GET", url).status == 500)
        let raw = try RawConnection(port: server.port)
        raw.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(arrived.wait())
        held.clear()
        #expect(raw.read { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 500"))
        #expect(server.counters.exchangesDroppedTotal == 2)
        server.stop()
    }

    @Test func `an exchange without a response in time is answered 504`() throws {
        let held = Shelf<HTTPExchange>()
        let (server, url) = try Self.start(limits: HTTPLimits(answerSeconds: 1)) { held.put($0) }
        #expect(try HTTPClient().send("GET", url).status == 504)
        #expect(held.all.count == 1)
        server.stop()
    }

    @Test func `headers with line breaks are not sent`() throws {
        let (server, url) = try Self.start { exchange in
            var response = HTTPResponse(status: 200)
            switch exchange.request.path {
            case "/value": response.headers.add("X-A", "b\r\nSet-Cookie: c=1")
            case "/name": response.headers.add("X-A\r\nSet-Cookie", "c=1")
            case "/lf": response.headers.add("X-A", "b\nSet-Cookie: c=1")
            case "/nul": response.headers.add("X-A", "b\0")
            case "/status": response.status = 99
            case "/informational": response.status = 101
            default:
                var head = HTTPResponse(status: 200)
                head.headers.add("X-A", "b\r\nSet-Cookie: c=1")
                #expect(exchange.stream(head).send([1]) == true)
                return
            }
            exchange.respond(response)
        }
        for path in ["/value", "/name", "/lf", "/nul", "/status", "/informational", "/stream"] {
            let answer = try HTTPClient().send("GET", url + path)
            #expect(answer.status == 500)
            #expect(answer.headers["Set-Cookie"] == nil)
        }
        server.stop()
    }

    @Test func `starting a server reports which port is taken`() throws {
        let (server, _) = try Self.start()
        let error = #expect(throws: HTTPError.self) {
            _ = try HTTPServer(address: "127.0.0.1", port: server.port) { _ in }
        }
        #expect(error?.kind == .portTaken(server.port))
        #expect(error?.message.contains("\(server.port)") == true)
        for (address, port) in [("localhost", 0), ("8.8.8.8", 0), ("127.0.0.1", 70_000)] {
            let error = #expect(throws: HTTPError.self) { _ = try HTTPServer(address: address, port: port) { _ in } }
            #expect(error?.kind == .addressUnusable)
        }
        server.stop()
        // The port is free again immediately.
        let again = try HTTPServer(address: "127.0.0.1", port: server.port, handler: Self.echo)
        #expect(try HTTPClient().send("GET", "http://127.0.0.1:\(again.port)").status == 200)
        again.stop()
    }

    @Test func `an HTTP server listens on IPv4 and IPv6`() throws {
        let server = try HTTPServer(address: "::", port: 0, handler: Self.echo)
        let client = HTTPClient()
        for (host, peer) in [("127.0.0.1", "127.0.0.1"), ("[::1]", "::1")] {
            let answer = try client.send("GET", "http://\(host):\(server.port)/")
            #expect(answer.headers["X-Peer"] == peer)
        }
        server.stop()
    }

    @Test func `a server that stops answers 503 to pending requests`() throws {
        let held = Shelf<HTTPExchange>()
        let arrived = Signal()
        let (server, _) = try Self.start { exchange in
            held.put(exchange)
            arrived.raise()
        }
        let waiting = try (0..<20).map { _ in try RawConnection(port: server.port) }
        for connection in waiting { connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
        for _ in waiting { #expect(arrived.wait()) }
        let began = ContinuousClock.now
        server.stop()
        #expect(ContinuousClock.now - began < .seconds(2))
        for connection in waiting { #expect(connection.read().hasPrefix("HTTP/1.1 503")) }
        for exchange in held.all { exchange.respond(HTTPResponse(status: 200)) }
        #expect(throws: RawConnection.Trouble.self) { _ = try RawConnection(port: server.port) }
        server.stop()
        print("stop: checked \(waiting.count) pending requests")
    }

    @Test func `an HTTP server serves 1000 requests over 50 connections`() throws {
        let (server, _) = try Self.start()
        let port = server.port
        let wrong = Shelf<String>()
        let done = Signal()
        for connection in 0..<50 {
            let raw = try RawConnection(port: port)
            let worker = Thread {
                defer { done.raise() }
                for number in 0..<20 {
                    let body = "\(connection):\(number)."
                    raw.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
                    let answer = raw.read { $0.hasSuffix(body) }
                    if !answer.hasPrefix("HTTP/1.1 200") || !answer.hasSuffix(body) { wrong.put(answer) }
                }
            }
            worker.start()
        }
        for _ in 0..<50 { #expect(done.wait()) }
        #expect(wrong.all == [])
        #expect(server.counters.requestsTotal == 1_000)
        #expect(server.counters.connectionsTotal == 50)
        print(
            "load: checked \(server.counters.requestsTotal) requests over \(server.counters.connectionsTotal) connections"
        )
        server.stop()
        #expect(server.counters.connectionsOpen == 0)
    }
}
