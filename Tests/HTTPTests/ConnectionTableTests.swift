import Foundation
import Testing

@testable import HTTP

@Suite("Limits of connections by address")
struct ConnectionTableTests {
    private static let half = "GET / HTTP/1.1\r\nHost: a\r\nX: "
    private static let whole = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Returns whether a request from the address is answered instead of closed.
    private static func isServed(_ server: HTTPServer, from source: UInt32) throws -> Bool {
        let raw = try RawConnection(port: server.port, from: source)
        raw.send(whole)
        return raw.read { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 200")
    }

    private static func keptAlive(_ server: HTTPServer, _ count: Int, from source: UInt32) throws -> [RawConnection] {
        try (0..<count).map { _ in
            let raw = try RawConnection(port: server.port, from: source)
            raw.send(whole)
            _ = raw.read { $0.contains("\r\n\r\n") }
            return raw
        }
    }

    @Test func `an address that holds 600 half-open requests loses its oldest, and every other request is answered`()
        throws
    {
        let (server, _) = try HTTPServerTests.start(limits: HTTPLimits(maxHalfOpenPerAddress: 64, headSeconds: 60))
        defer { server.stop() }
        var attack: [RawConnection] = []
        for _ in 0..<600 {
            let raw = try RawConnection(port: server.port, from: 2)
            raw.send(Self.half)
            attack.append(raw)
            if attack.count.isMultiple(of: 60) { #expect(try Self.isServed(server, from: 3)) }
        }
        for raw in attack.prefix(600 - 64) { #expect(raw.isClosedByPeer()) }
        #expect(server.counters.connectionsReplacedTotal == 600 - 64)
        #expect(server.counters.connectionsRefusedTotal == 0)
        // Another client behind the same address can still connect.
        #expect(try Self.isServed(server, from: 2))
        #expect(server.counters.busiest?.address == "127.0.0.2")
        print("half-open: checked \(attack.count) half-open requests and 11 others")
    }

    @Test func `an address over its limit is closed at once and counted, and others are answered`() throws {
        let (server, _) = try HTTPServerTests.start(limits: HTTPLimits(maxPerAddress: 8))
        defer { server.stop() }
        let greedy = try Self.keptAlive(server, 8, from: 2)
        let over = try RawConnection(port: server.port, from: 2)
        #expect(over.isClosedByPeer())
        #expect(server.counters.connectionsRefusedTotal == 1)
        #expect(server.counters.busiest == .init(address: "127.0.0.2", connections: 8))
        #expect(try Self.isServed(server, from: 3))
        greedy[0].hangUp()
        // Seven are left after the other address's connection is closed, too.
        while server.counters.connectionsOpen > 7 { sched_yield() }
        #expect(try Self.isServed(server, from: 2))
    }

    @Test func `without a limit per address, one client can use all connections`() throws {
        // The mutant is the earlier rule: one limit for all addresses.
        for (perAddress, isServed) in [(8, true), (16, false)] {
            let limits = HTTPLimits(maxConnections: 16, reservedConnections: 0, maxPerAddress: perAddress)
            let (server, _) = try HTTPServerTests.start(limits: limits)
            let greedy = try Self.keptAlive(server, 8, from: 2)
            let more = (0..<8).compactMap { _ in try? Self.keptAlive(server, 1, from: 2) }
            #expect(try Self.isServed(server, from: 3) == isServed)
            withExtendedLifetime((greedy, more)) {}
            server.stop()
        }
    }

    @Test func `a full server takes the place of a half-open connection of the address that holds most of them`()
        throws
    {
        let limits = HTTPLimits(maxConnections: 20, reservedConnections: 0, headSeconds: 60)
        let (server, _) = try HTTPServerTests.start(limits: limits)
        defer { server.stop() }
        let attack = try (0..<20).map { _ in
            let raw = try RawConnection(port: server.port, from: 2)
            raw.send(Self.half)
            return raw
        }
        #expect(try Self.isServed(server, from: 3))
        #expect(attack[0].isClosedByPeer())
        #expect(server.counters.connectionsReplacedTotal >= 1)
    }

    @Test func `behind a trusted proxy the client that it names is counted, and the proxy is not`() throws {
        let held = Shelf<HTTPExchange>()
        let arrived = Signal()
        let server = try HTTPServer(
            address: "127.0.0.1", port: 0, limits: HTTPLimits(maxPerAddress: 2, maxHalfOpenPerAddress: 2),
            proxies: try #require(TrustedProxies("127.0.0.1"))
        ) { exchange in
            guard exchange.request.path == "/hold" else { return HTTPServerTests.echo(exchange) }
            held.put(exchange)
            arrived.raise()
        }
        defer { server.stop() }
        func open(_ path: String, for client: String) throws -> RawConnection {
            let raw = try RawConnection(port: server.port)
            raw.send("GET \(path) HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(client)\r\n\r\n")
            return raw
        }
        let idle = try (0..<8).map { _ in try RawConnection(port: server.port) }
        let first = try open("/hold", for: "203.0.113.9")
        let second = try open("/hold", for: "203.0.113.9")
        #expect(arrived.wait() && arrived.wait())
        let third = try open("/", for: "203.0.113.9").read { $0.contains("\r\n\r\n") }
        #expect(third.hasPrefix("HTTP/1.1 429") && third.contains("Retry-After: 2"))
        #expect(try open("/", for: "203.0.113.10").read { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 200"))
        #expect(server.counters.busiest == .init(address: "203.0.113.9", connections: 2))
        for exchange in held.all { exchange.respond(HTTPResponse(status: 200)) }
        for raw in [first, second] { #expect(raw.read { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 200")) }
        #expect(try open("/", for: "203.0.113.9").read { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 200"))
        withExtendedLifetime(idle) {}
    }

    @Test func `an IPv6 client is counted by its network of 64 bits`() {
        #expect(ConnectionTable.key(of: "2001:db8:0:7::1") == ConnectionTable.key(of: "2001:db8:0:7:ffff::2"))
        #expect(ConnectionTable.key(of: "2001:db8:0:7::1") != ConnectionTable.key(of: "2001:db8:0:8::1"))
        #expect(ConnectionTable.key(of: "2001:db8:0:7::1") == "2001:db8:0:7::/64")
        #expect(ConnectionTable.key(of: "192.0.2.7") == "192.0.2.7")
    }
}
