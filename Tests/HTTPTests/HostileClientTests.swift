import Foundation
import HTTP
import Testing

@Suite("Hostile clients")
struct HostileClientTests {
    @Test func `garbage after a request gets no response, and the request gets one`() throws {
        let (server, _) = try HTTPServerTests.start()
        let raw = try RawConnection(port: server.port)
        raw.send(
            "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n\u{1}\u{2}garbage garbage\r\n\r\n")
        let answer = raw.read()
        #expect(answer.contains("X-Target: /1"))
        #expect(answer.contains("X-Target: /2"))
        #expect(server.counters.requestsTotal == 2)
        let other = try RawConnection(port: server.port)
        other.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(other.read { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 200"))
        server.stop()
    }

    @Test func `random bytes cannot crash a server`() throws {
        let (server, url) = try HTTPServerTests.start()
        var noise = SystemRandomNumberGenerator()
        let samples = [
            "", "\r\n", "\0\0\0", "GET\r\n\r\n", "GET  HTTP/1.1\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
            "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n: nameless\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ]
        for sample in samples {
            let raw = try RawConnection(port: server.port)
            raw.send(sample)
        }
        for _ in 0..<200 {
            let raw = try RawConnection(port: server.port)
            let bytes = (0..<Int.random(in: 1...300, using: &noise)).map { _ in
                Character(Unicode.Scalar(UInt8.random(in: 0...127, using: &noise)))
            }
            raw.send(String(bytes) + "\r\n\r\n")
        }
        #expect(try HTTPClient().send("GET", url).status == 200)
        server.stop()
        #expect(server.counters.connectionsOpen == 0)
        print("noise: checked \(samples.count + 200) connections")
    }

    @Test func `clients cannot crash a server that is stopping`() throws {
        let rounds = 15
        for _ in 0..<rounds {
            let (server, _) = try HTTPServerTests.start()
            let port = server.port
            let started = Signal()
            let done = Signal()
            for _ in 0..<4 {
                let worker = Thread {
                    defer { done.raise() }
                    for number in 0..<10_000 {
                        // A client that can no longer connect has detected the stop.
                        guard RawConnection.tell(port: port, "BAD\u{1} request\r\n\r\n") else { return }
                        if number == 5 { started.raise() }
                    }
                }
                worker.start()
            }
            let t0 = ContinuousClock.now
            for _ in 0..<4 { #expect(started.wait()) }
            let t1 = ContinuousClock.now
            server.stop()
            let t2 = ContinuousClock.now
            for _ in 0..<4 { #expect(done.wait()) }
            print(t1 - t0, t2 - t1, ContinuousClock.now - t2, server.counters.connectionsTotal)
            #expect(server.counters.connectionsOpen == 0)
        }
        print("stopping under noise: checked \(rounds) times")
    }

    @Test func `a client with too large a head is answered 431`() throws {
        let (server, _) = try HTTPServerTests.start(limits: HTTPLimits(maxHeaderBytes: 16 << 10))
        for size in [17_000, 40_000, 200_000] {
            let raw = try RawConnection(port: server.port)
            raw.send("GET / HTTP/1.1\r\nHost: a\r\nX-Big: \(String(repeating: "x", count: size))\r\n\r\n")
            let answer = raw.read { $0.contains("\r\n\r\n") }
            #expect(answer.hasPrefix("HTTP/1.1 431") || (answer.isEmpty && size > 100_000), "\(size): \(answer)")
        }
        let raw = try RawConnection(port: server.port)
        raw.send("GET / HTTP/1.1\r\nHost: a\r\nX-Big: \(String(repeating: "x", count: 16_000))\r\n\r\n")
        #expect(raw.read { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 200"))
        server.stop()
    }

    @Test func `a client that sends its request too slowly is disconnected`() throws {
        let (server, _) = try HTTPServerTests.start(limits: HTTPLimits(headSeconds: 2, restSeconds: 2, idleSeconds: 2))
        let silent = try RawConnection(port: server.port)
        let dripping = try RawConnection(port: server.port)
        let slowBody = try RawConnection(port: server.port)
        slowBody.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
        dripping.send("GET / HTTP/1.1\r\nHost: a\r\n")
        let began = ContinuousClock.now
        let dripped = Signal()
        let drip = Thread {
            // Four drops a second are never silent, and never done.
            for _ in 0..<80 {
                if !dripping.send("X-A: b\r\n") || !slowBody.send("x") { break }
                usleep(250_000)
            }
            dripped.raise()
        }
        drip.start()
        #expect(silent.isClosedByPeer())
        #expect(slowBody.isClosedByPeer())
        #expect(dripped.wait())
        #expect(ContinuousClock.now - began < .seconds(10))
        #expect(dripping.isClosedByPeer())
        #expect(server.counters.connectionsTimedOutTotal >= 2)
        server.stop()
    }

    @Test func `opening many connections cannot lock out other clients`() throws {
        let (server, url) = try HTTPServerTests.start(limits: HTTPLimits(maxConnections: 8, reservedConnections: 0))
        let greedy = try (0..<24).map { _ in try RawConnection(port: server.port) }
        #expect(try HTTPClient().send("GET", url).status == 200)
        // A replaced connection is detected as closed by the thread that reads it.
        let began = ContinuousClock.now
        while server.counters.connectionsOpen > 8, ContinuousClock.now - began < .seconds(10) { usleep(1_000) }
        #expect(server.counters.connectionsOpen <= 8)
        server.stop()
        withExtendedLifetime(greedy) {}
    }
}
