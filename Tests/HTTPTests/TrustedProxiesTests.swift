import HTTP
import Testing

@Suite("Reverse proxies")
struct TrustedProxiesTests {
    /// Returns the client's address and scheme of a request from 127.0.0.1, at a server that trusts the list.
    static func seen(trusting list: String, _ headers: [(String, String)]) throws -> (peer: String, isSecure: Bool) {
        let requests = Shelf<HTTPRequest>()
        let server = try HTTPServer(
            address: "127.0.0.1", port: 0, proxies: try #require(TrustedProxies(list))
        ) { exchange in
            requests.put(exchange.request)
            exchange.respond(HTTPResponse(status: 204))
        }
        defer { server.stop() }
        _ = try HTTPClient().send("GET", "http://127.0.0.1:\(server.port)/", headers: headers)
        let request = try #require(requests.all.first)
        return (request.peer, request.isSecure)
    }

    static let told: [(String, String)] = [("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-Proto", "https")]

    @Test(arguments: ["127.0.0.1", "127.0.0.0/8", "10.0.0.0/8, 127.0.0.1/32", "0.0.0.0/0", "::/0 127.0.0.1"])
    func `the forwarding headers of a listed proxy are used`(list: String) throws {
        let (peer, isSecure) = try Self.seen(trusting: list, Self.told)
        #expect(peer == "203.0.113.9")
        #expect(isSecure)
    }

    @Test(arguments: ["", "127.0.0.2", "10.0.0.0/8", "128.0.0.0/1", "::/0"])
    func `the forwarding headers of any other client are ignored`(list: String) throws {
        let (peer, isSecure) = try Self.seen(trusting: list, Self.told)
        #expect(peer == "127.0.0.1")
        #expect(!isSecure)
    }

    @Test(arguments: [
        // Entries that a client has sent itself are left of the proxy's.
        ("1.2.3.4, 203.0.113.9", "203.0.113.9"),
        // A proxy in front of the proxy, both listed.
        ("1.2.3.4, 203.0.113.9, 10.0.0.7", "203.0.113.9"),
        ("10.0.0.8, 10.0.0.7", "10.0.0.8"),
        ("garbage, 10.0.0.7", "10.0.0.7"), ("", "127.0.0.1"), ("garbage", "127.0.0.1"), ("203.0.113.9,", "127.0.0.1"),
        ("203.0.113.9:4711", "203.0.113.9"), ("[2001:db8::1]:4711", "2001:db8::1"), ("2001:db8::1", "2001:db8::1"),
        ("::ffff:203.0.113.9", "203.0.113.9"), ("203.0.113.999", "127.0.0.1"),
    ])
    func `the client is the last address that is no listed proxy`(header: String, caller: String) throws {
        let (peer, isSecure) = try Self.seen(trusting: "127.0.0.1, 10.0.0.0/8", [("X-Forwarded-For", header)])
        #expect(peer == caller, "\(header)")
        #expect(!isSecure)
    }

    @Test(arguments: [
        ([("X-Forwarded-For", "1.2.3.4"), ("X-Forwarded-For", "203.0.113.9")], "203.0.113.9", false),
        ([("X-Forwarded-Proto", "https, http")], "127.0.0.1", false),
        ([("X-Forwarded-Proto", "http"), ("X-Forwarded-Proto", "HTTPS")], "127.0.0.1", true),
        ([("X-Forwarded-Proto", "spdy")], "127.0.0.1", false),
    ])
    func `of several schemes, the nearest proxy's is used`(
        headers: [(String, String)], caller: String, isSecure: Bool
    ) throws {
        let seen = try Self.seen(trusting: "127.0.0.1", headers)
        #expect(seen.peer == caller)
        #expect(seen.isSecure == isSecure)
    }

    @Test func `a malformed list of proxies is refused`() {
        for bad in ["farm.test", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "::1/129", "10.0.0.1/8/8", "10.0.0.1,x"] {
            #expect(TrustedProxies(bad) == nil, "\(bad)")
        }
        let many = (0...TrustedProxies.most).map { "10.0.0.\($0)" }.joined(separator: ",")
        #expect(TrustedProxies(many) == nil)
    }
}
