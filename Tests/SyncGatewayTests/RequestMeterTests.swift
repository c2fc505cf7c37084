import EventSourcing
import HTTP
import Host
import TestKit
import Testing
import Vocabulary

@testable import SyncGateway

@Suite("The limit of unauthenticated requests")
struct RequestMeterTests {
    private typealias Rule = (_ network: String, _ tick: UInt64) -> Int?

    /// Returns what a rule with a burst of 30 and a rate of 10 a second does wrong.
    private func wrong(_ rule: Rule) -> [String] {
        var wrong: [String] = []
        func expect(_ isSo: Bool, _ what: String) { if !isSo { wrong.append(what) } }
        let first = (0..<40).map { _ in rule("a", 100) }
        expect(first.prefix(30).allSatisfy { $0 == nil }, "a burst")
        expect(first.suffix(10).allSatisfy { $0 == 1 }, "beyond it")
        expect(rule("b", 100) == nil, "another network")
        // A second later there are ten more tokens, however many requests were refused.
        let second = (0..<20).map { _ in rule("a", 110) }
        expect(second.count { $0 == nil } == 10, "the rate")
        // After a long pause the burst is available again, and no more.
        let late = (0..<40).map { _ in rule("a", 1_000_000) }
        expect(late.count { $0 == nil } == 30, "a pause")
        return wrong
    }

    private static func limited() throws -> RequestMeter {
        try RequestMeter(Settings(environment: ["FURROW_ANONYMOUS_RATE": "10", "FURROW_ANONYMOUS_BURST": "30"]))
    }

    @Test func `a network may send a burst, then the rate, and does not slow another network`() throws {
        var meter = try Self.limited()
        #expect(wrong { meter.take(1, from: $0, at: $1) } == [])
    }

    @Test func `mutants are rejected, one bucket for all, refusals that refill it, and an unlimited burst`()
        throws
    {
        var shared = try Self.limited()
        #expect(wrong { shared.take(1, from: "", at: $1) }.contains("another network"))
        var refilled = try Self.limited()
        var refused: UInt64 = 0
        #expect(
            wrong { network, tick in
                let seconds = refilled.take(1, from: network, at: tick + refused)
                if seconds != nil { refused += 1 }
                return seconds
            } != [])
        var growing = try RequestMeter(
            Settings(environment: ["FURROW_ANONYMOUS_RATE": "10", "FURROW_ANONYMOUS_BURST": "1000000"]))
        #expect(wrong { growing.take(1, from: $0, at: $1) }.contains("beyond it"))
    }

    @Test func `a refused caller learns when to retry, and a rate of 0 switches the limit off`() throws {
        var slow = try RequestMeter(
            Settings(environment: ["FURROW_ANONYMOUS_RATE": "1", "FURROW_ANONYMOUS_BURST": "1"]))
        #expect(slow.take(1, from: "a", at: 0) == nil)
        #expect(slow.take(1, from: "a", at: 0) == 1 && slow.take(5, from: "a", at: 0) == 5)
        var off = try RequestMeter(Settings(environment: ["FURROW_ANONYMOUS_RATE": "0"]))
        for _ in 0..<10_000 { #expect(off.take(1, from: "a", at: 0) == nil) }
        #expect(off.networks == 0)
    }

    @Test func `the table of networks is limited, and a new network does not evict an empty bucket`() throws {
        var meter = try Self.limited()
        while meter.take(1, from: "flood", at: 5) == nil {}
        for number in 0..<GatewayLimits.throttled + 200 { #expect(meter.take(1, from: "n\(number)", at: 5) == nil) }
        #expect(meter.networks <= GatewayLimits.throttled)
        #expect(meter.take(1, from: "flood", at: 5) == 1)
    }

    @Test func `the default limit lets 50 phones behind one address make their first visit at once`() {
        var meter = RequestMeter()
        // A first visit: the requests of the pages, and the pictures of a large shop.
        for _ in 0..<50 {
            for _ in 0..<20 { #expect(meter.take(1, from: "a", at: 0) == nil) }
            for _ in 0..<400 { #expect(meter.take(GatewayLimits.pictureCost, from: "a", at: 0) == nil) }
        }
    }

    @Test func `reads beyond a network's limit get 429 with Retry-After, but accounts and sign-ins still work`() throws
    {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let administrator = try harness.administrator()
            func counties(_ peer: String, as token: String? = nil) throws -> HTTPResponse? {
                let id = try harness.send("GET", "/v1/counties", as: token, peer: peer)
                return harness.responses[id]
            }
            var served = 0
            while try counties("2001:db8:1:2::\(served % 9)") == nil {
                served += 1
                try harness.answer(harness.asks.removeLast(), 200, "{\"items\":[]}")
                guard served <= GatewayLimits.anonymousBurst else { break }
            }
            #expect(served == GatewayLimits.anonymousBurst)
            // Another address of the same /64 is the same network.
            let refused = try #require(try counties("2001:db8:1:2:aaaa::1"))
            #expect(refused.status == 429 && refused.headers["Retry-After"] == "1")
            #expect(String(decoding: refused.body, as: UTF8.self).contains("too-many-requests"))
            #expect(harness.notes["anonymous_requests_refused"] ?? 0 >= 1)
            #expect(try counties("2001:db8:1:3::1") == nil && counties("192.0.2.9") == nil)
            #expect(try counties("2001:db8:1:2::1", as: administrator) == nil)
            let wrong = "{\"email\":\"ada@farm.test\",\"password\":\"not this one\"}"
            #expect(try harness.call("POST", "/v1/sessions", wrong, peer: "2001:db8:1:2::1").status == 401)
            try harness.tick(10)
            #expect(try counties("2001:db8:1:2::1") == nil, "a second later")
        }
    }

    @Test func `a catalogue response carries an entity tag, and a request that names the tag gets 304`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let id = try harness.send("GET", "/v1/products", headers: [("If-None-Match", "W/\"a-1\", \"b-2\", junk")])
            let asked = try #require(harness.asks.last)
            #expect(asked.verb == "products" && asked.known == ["a-1", "b-2"])
            try harness.answer(asked, Response(status: 200, body: Array("{\"items\":[]}".utf8), tag: "c-3"))
            let made = try #require(harness.responses[id])
            #expect(
                made.status == 200 && made.headers["ETag"] == "\"c-3\"" && made.headers["Cache-Control"] == "no-cache")
            let next = try harness.send("GET", "/v1/products", headers: [("If-None-Match", "\"c-3\"")])
            try harness.answer(try #require(harness.asks.last), .unchanged(tag: "c-3"))
            let unchanged = try #require(harness.responses[next])
            #expect(unchanged.status == 304 && unchanged.body.isEmpty && unchanged.headers["ETag"] == "\"c-3\"")
            #expect(unchanged.headers["X-Content-Type-Options"] == "nosniff")
            // A person's own data has no tag.
            let buyer = try harness.buyer(email: "bea@buyers.test")
            _ = try harness.send("GET", "/v1/cart", as: buyer.token, headers: [("If-None-Match", "\"c-3\"")])
            #expect(harness.asks.last?.verb == "cart" && harness.asks.last?.known == [])
            #expect(Routes.all.filter(\.isShared).count == 7)
        }
    }
}
