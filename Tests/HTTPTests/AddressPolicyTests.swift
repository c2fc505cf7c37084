import Glibc
import HTTP
import Testing

@Suite("The addresses to which a client may connect")
struct AddressPolicyTests {
    /// One address of each special range of RFC 6890 and its registries, with both ends where a mask could be off.
    private static let special = [
        "0.0.0.0", "0.255.255.255", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.254", "127.0.0.1",
        "127.255.255.254", "169.254.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1",
        "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255", "198.51.100.1",
        "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.1.2.3", "::ffff:c0a8:1",
        "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::",
        "2002:c0a8:101::1", "3fff::1", "fc00::1", "fd12:3456:789a::1", "fe80::1", "fec0::1", "ff02::1", "4000::1",
    ]
    private static let ordinary = [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
        "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
        "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::200e",
        "::ffff:1.1.1.1", "64:ff9b::101:101",
    ]

    @Test func `special addresses are refused, and their neighbours are not`() throws {
        let policy = AddressPolicy.publicOnly
        for address in Self.special { #expect(!policy.allows(address), "\(address)") }
        for address in Self.ordinary {
            #expect(policy.allows(address), "\(address)")
            #expect(!policy.allows(address, isEncrypted: false), "\(address) without TLS")
        }
        for text in ["", "localhost", "1.2.3", "1.2.3.4.5", "12345::1"] { #expect(!policy.allows(text), "\(text)") }
    }

    @Test func `a listed network is allowed, also without TLS and also written as an IPv6 address`() throws {
        let policy = try #require(AddressPolicy(allowing: "192.168.1.20, 10.0.0.0/8 fd00::/8"))
        for address in ["192.168.1.20", "10.200.3.4", "::ffff:10.1.2.3", "fd12::1"] {
            #expect(policy.allows(address) && policy.allows(address, isEncrypted: false), "\(address)")
        }
        for address in ["192.168.1.21", "172.16.0.1", "fe80::1", "127.0.0.1", "::1"] {
            #expect(!policy.allows(address), "\(address)")
        }
        for list in ["localhost", "10.0.0.0/33", "10.0.0", "::1/129"] { #expect(AddressPolicy(allowing: list) == nil) }
        #expect(AddressPolicy(allowing: Array(repeating: "10.0.0.1", count: 65).joined(separator: ",")) == nil)
    }

    /// The spellings reach the address in other ways; the check sees the address itself.
    @Test func `a client refuses the address that a URL or a name resolves to, however it is written`() throws {
        let (server, url) = try HTTPServerTests.start { $0.respond(HTTPResponse(status: 200)) }
        defer { server.stop() }
        let port = server.port
        let hosts =
            [
                "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1",
                "127.0.0.2", "0", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]",
                "[::]",
                "localhost", "LOCALHOST", "localhost.", "farm.localhost", "any.name.localhost", "127.0.0.1.",
                "user@127.0.0.1", "１２７.0.0.1",
            ] + Self.namesOfThisMachine()
        let client = HTTPClient(policy: .publicOnly)
        for host in hosts {
            let error = #expect(throws: HTTPError.self, "\(host)") {
                try client.send("POST", "http://\(host):\(port)/", body: [1], timeoutSeconds: 5)
            }
            let isRefused = error?.kind == .addressForbidden
            // A spelling that libcurl does not resolve at all reaches nothing either.
            let isUnresolved = error?.kind == .requestUnusable || error?.kind == .unreachable
            #expect(isRefused || isUnresolved, "\(host): \(error as Any)")
            if ["127.0.0.1", "localhost", "2130706433", "[::1]", "[::ffff:127.0.0.1]"].contains(host) {
                #expect(isRefused && error?.message.contains("not allowed") == true, "\(host)")
            }
        }
        print("a policy refused \(hosts.count) spellings and names of this machine")
        let loopback: AddressPolicy = try #require(AddressPolicy(allowing: "127.0.0.1"))
        let listed = HTTPClient(policy: loopback)
        #expect(try listed.send("GET", url).status == 200)
        #expect(try HTTPClient().send("GET", url).status == 200)
    }

    @Test func `a redirect to a forbidden address is returned and not followed`() throws {
        let followed = Shelf<String>()
        let (server, url) = try HTTPServerTests.start { exchange in
            followed.put(exchange.request.path)
            var response = HTTPResponse(status: 302)
            response.headers["Location"] = "http://127.0.0.1:1/secret"
            exchange.respond(response)
        }
        defer { server.stop() }
        let loopback: AddressPolicy = try #require(AddressPolicy(allowing: "127.0.0.0/8"))
        let client = HTTPClient(policy: loopback)
        #expect(try client.send("GET", url).status == 302)
        #expect(followed.all == ["/"])
    }

    @Test func `a response whose body is not read has its status, however long the body is`() throws {
        let (server, url) = try HTTPServerTests.start {
            $0.respond(HTTPResponse(status: 200, body: [UInt8](repeating: 65, count: 100_000)))
        }
        defer { server.stop() }
        let response = try HTTPClient().send("GET", url, isBodyUnread: true)
        #expect(response.status == 200 && response.body.isEmpty)
        // A body that never ends.
        let streams = Shelf<HTTPStream>()
        let (slow, address) = try HTTPServerTests.start { exchange in
            streams.put(exchange.stream(HTTPResponse(status: 202)))
        }
        defer { slow.stop() }
        #expect(try HTTPClient().send("GET", address, timeoutSeconds: 1, isBodyUnread: true).status == 202)
        #expect(try HTTPClient().send("GET", url).body.count == 100_000)
    }

    /// The host name and the loopback names of `/etc/hosts`.
    private static func namesOfThisMachine() -> [String] {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return [] }
        let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return [text, "ip6-localhost", "ip6-loopback"]
    }
}
