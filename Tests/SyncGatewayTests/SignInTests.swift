import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SyncGateway

@Suite("Signing in under attack")
struct SignInTests {
    private func credentials(_ password: String, _ email: String = "ada@farm.test") -> String {
        "{\"email\":\"\(email)\",\"password\":\"\(password)\"}"
    }

    @Test func `the correct password succeeds during 1,000 wrong attempts, from the same address and from another`()
        throws
    {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            _ = try harness.administrator()
            var (wrong, right) = (0, 0)
            for number in 0..<1000 {
                // The hashes of the wrong passwords are not computed: their result is known.
                let id = try harness.send("POST", "/v1/sessions", credentials("wrong \(number)"), peer: "172.18.0.1")
                try harness.refuseNextPassword(id)
                #expect(try harness.response(id).status == 401)
                wrong += 1
                guard number % 200 == 199 else { continue }
                for peer in ["172.18.0.1", "203.0.113.9"] {
                    let response = try harness.call("POST", "/v1/sessions", credentials("correct horse"), peer: peer)
                    #expect(response.status == 201, "after \(number + 1) wrong tries from \(peer)")
                    right += response.status == 201 ? 1 : 0
                }
            }
            print("wrong attempts refused: \(wrong); correct ones let in: \(right)")
            #expect(wrong == 1000 && right == 10)
        }
    }

    @Test func `a wrong password costs a bounded delay, which a known device is spared`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            _ = try harness.administrator()
            let first = try harness.call("POST", "/v1/sessions", credentials("correct horse"))
            let cookies = first.headers.all("Set-Cookie").map { String($0.prefix { $0 != ";" }) }
            let device = try #require(cookies.first { $0.hasPrefix("furrow_device=") })
            for number in 0..<30 {
                let id = try harness.send("POST", "/v1/sessions", credentials("wrong \(number)"), peer: "203.0.113.9")
                try harness.refuseNextPassword(id)
            }
            let stranger = try harness.send("POST", "/v1/sessions", credentials("correct horse"), peer: "192.0.2.44")
            #expect(harness.jobs.isEmpty, "a stranger waits")
            let known = try harness.send(
                "POST", "/v1/sessions", credentials("correct horse"), headers: [("Cookie", device)], peer: "203.0.113.9"
            )
            try harness.work()
            #expect(try harness.response(known).status == 201)
            #expect(harness.responses[stranger] == nil || harness.responses[stranger]?.status == 201)
        }
    }

    @Test func `the delay of an account doubles after five failures, up to two seconds`() {
        var queue = PasswordQueue()
        var delays: [UInt64] = []
        for number in 0..<20 {
            let one = PasswordQueue.Try(token: UInt64(number), network: "n", account: "a")
            delays.append(queue.delay(of: "a", at: 100))
            queue.failed(one, at: 100)
        }
        #expect(delays.prefix(10) == [0, 0, 0, 0, 0, 2, 4, 8, 16, 20])
        #expect(delays.allSatisfy { $0 <= 20 })
        #expect(queue.delay(of: "a", at: 100 + GatewayLimits.triesTicks) == 0, "after five minutes they do not count")
    }

    @Test func `a device cookie of another account or a forged one does not make a device known`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            let other = try harness.staff(.grower, email: "g@farm.test", by: admin)
            _ = other
            let signedIn = try harness.call("POST", "/v1/sessions", credentials("battery staple", "g@farm.test"))
            let cookie = try #require(signedIn.headers.all("Set-Cookie").first { $0.hasPrefix("furrow_device=") })
            let device = String(cookie.prefix { $0 != ";" })
            for value in [device, "furrow_device=AAAA.BBBB", "furrow_device=", "furrow_device=a.b.c"] {
                try harness.send("POST", "/v1/sessions", credentials("x"), headers: [("Cookie", value)])
                // Ada's account is under attack: a device without her cookie waits like any other.
                #expect(harness.core.service.passwords.waiting.allSatisfy { !$0.isKnownDevice })
                try harness.work()
            }
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
        }
    }

    @Test func `a flood of wrong passwords from one network does not starve a sign-in from another`() {
        #expect(Flood<PasswordQueue>.place(of: "203.0.113.9") <= 2)
        #expect(Flood<PasswordQueue>.placeOfAccount <= 3)
        // Mutant: first come, first served. The other network would wait behind all 500.
        #expect(Flood<MutantFirstCome>.place(of: "203.0.113.9") > 400)
        #expect(Flood<MutantFirstCome>.placeOfAccount > 400)
        // Mutant: after ten failures an account or network is refused. The right password would never be checked.
        #expect(Flood<MutantLockout>.place(of: "203.0.113.9") == .max)
    }

    @Test func `at most two passwords are hashed at once, and a full queue drops from its longest lane`() {
        var queue = PasswordQueue()
        for number in 0..<GatewayLimits.passwordsWaiting {
            #expect(queue.add(.init(token: UInt64(number), network: "flood", account: "a"), at: 0) == nil)
        }
        let dropped = queue.add(.init(token: 5000, network: "quiet", account: "b"), at: 0)
        #expect(dropped?.network == "flood")
        #expect(queue.waiting.count == GatewayLimits.passwordsWaiting)
        var started: [UInt64] = []
        while let token = queue.next(at: 0) { started.append(token) }
        #expect(started.count == GatewayLimits.passwordsAtOnce && started.contains(5000))
        queue.ended()
        #expect(queue.next(at: 0) != nil && queue.next(at: 0) == nil)
    }

    @Test func `an IPv6 caller is counted by its first 64 bits and an IPv4 caller by itself`() {
        #expect(CallerNetwork.of("2001:db8:1:2:a:b:c:d") == CallerNetwork.of("2001:0DB8:1:2::1"))
        #expect(CallerNetwork.of("2001:db8:1:2::1") != CallerNetwork.of("2001:db8:1:3::1"))
        #expect(CallerNetwork.of("fe80::1%eth0") == CallerNetwork.of("fe80::2"))
        #expect(CallerNetwork.of("192.0.2.1") != CallerNetwork.of("192.0.2.2"))
        #expect(CallerNetwork.of("::1") == "0:0:0:0::/64")
        #expect(CallerNetwork.of("not an address") == "not an address")
        #expect(CallerNetwork.of("1:2:3:4:5:6:7:8:9") == "1:2:3:4:5:6:7:8:9")
        #expect(CallerNetwork.shown("192.0.2.77") == "192.0.2.0/24")
        #expect(CallerNetwork.shown("2001:db8:1:2::1") == "2001:db8:1::/48")
    }

    @Test func `a local address that forwards, or that many accounts sign in from, is evidence of an untrusted proxy`()
        throws
    {
        var evidence = ProxyEvidence()
        evidence.see("203.0.113.1", forwarded: ["10.0.0.1"])
        #expect(evidence.forwarder == nil, "anybody may write the header from outside")
        evidence.see("198.51.100.2", forwarded: ["198.51.100.2"])
        evidence.see("127.0.0.1", forwarded: [])
        #expect(evidence.forwarder == nil)
        evidence.see("172.18.0.1", forwarded: ["198.51.100.2"])
        #expect(evidence.forwarder == "172.18.0.1")
        for number in 0..<4 { evidence.signedIn(PersonID("p\(number)"), from: "172.18.0.1") }
        evidence.signedIn(PersonID("p0"), from: "172.18.0.1")
        for number in 0..<9 { evidence.signedIn(PersonID("p\(number)"), from: "192.168.1.\(number)") }
        #expect(evidence.shared?.accounts == 4 && evidence.shared?.address == "172.18.0.1")
    }

    @Test func `the gateway reports an untrusted proxy to the operator's command only`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            _ = try harness.administrator()
            _ = try harness.call(
                "POST", "/v1/sessions", credentials("correct horse"), headers: [("X-Forwarded-For", "198.51.100.7")],
                peer: "172.18.0.1")
            let told = try harness.ask("proxy-evidence", "{}", by: .service("console"))
            #expect(try JSONValue.parse(told.body).get("forwarder", as: String.self) == "172.18.0.1")
            #expect(try harness.ask("proxy-evidence", "{}", by: .service("sensor-ingest")).status == 403)
        }
    }

    @Test func `a person's twenty-first session closes their own least recently used one`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let ann = try harness.buyer(email: "ann@buyers.test")
            let bob = try harness.buyer(email: "bob@buyers.test")
            var tokens = [ann.token]
            for _ in 0..<40 {
                try harness.pass(seconds: 1)
                tokens.append(try harness.signIn("ann@buyers.test", "battery staple"))
            }
            let good = try tokens.filter { try harness.call("GET", "/v1/me", as: $0).status == 200 }
            print("sessions made: \(tokens.count); good: \(good.count)")
            #expect(good == Array(tokens.suffix(20)))
            // Mutant: one limit for all persons. Bob signed in first, so his session would be closed first.
            #expect(try harness.call("GET", "/v1/me", as: bob.token).status == 200)
        }
    }
}

/// A rule for the order in which passwords are checked.
private protocol CheckOrder {
    init()
    mutating func add(_ one: PasswordQueue.Try, at tick: UInt64) -> PasswordQueue.Try?
    mutating func next(at tick: UInt64) -> UInt64?
    mutating func ended()
    mutating func failed(_ one: PasswordQueue.Try, at tick: UInt64)
}

extension PasswordQueue: CheckOrder {}

/// Mutant: checks in order of arrival.
private struct MutantFirstCome: CheckOrder {
    private var waiting: [PasswordQueue.Try] = []

    mutating func add(_ one: PasswordQueue.Try, at tick: UInt64) -> PasswordQueue.Try? {
        waiting.append(one)
        return nil
    }

    mutating func next(at tick: UInt64) -> UInt64? { waiting.isEmpty ? nil : waiting.removeFirst().token }
    mutating func ended() {}
    mutating func failed(_ one: PasswordQueue.Try, at tick: UInt64) {}
}

/// Mutant: refuses an account and a network after ten failures.
private struct MutantLockout: CheckOrder {
    private var waiting: [PasswordQueue.Try] = []
    private var failures: [String: Int] = [:]

    mutating func add(_ one: PasswordQueue.Try, at tick: UInt64) -> PasswordQueue.Try? {
        guard failures[one.account, default: 0] < 10, failures[one.network, default: 0] < 10 else { return one }
        waiting.append(one)
        return nil
    }

    mutating func next(at tick: UInt64) -> UInt64? { waiting.isEmpty ? nil : waiting.removeFirst().token }
    mutating func ended() {}
    mutating func failed(_ one: PasswordQueue.Try, at tick: UInt64) {
        failures[one.account, default: 0] += 1
        failures[one.network, default: 0] += 1
    }
}

/// A flood of 500 waiting attempts from one network before the right one. `place` is the number of checks until the
/// right one, or `Int.max` if it is never checked.
private enum Flood<Order: CheckOrder> {
    static func place(of network: String) -> Int {
        place(.init(token: 9999, network: network, account: "ada")) { _ in "ada" }
    }

    /// The place of an attempt from the flood's own network, for an account that is not attacked.
    static var placeOfAccount: Int {
        place(.init(token: 9999, network: "198.51.100.1", account: "bob")) { _ in "ada" }
    }

    private static func place(_ right: PasswordQueue.Try, flooding account: (Int) -> String) -> Int {
        var order = Order()
        for number in 0..<30 {
            order.failed(.init(token: UInt64(number), network: "198.51.100.1", account: "ada"), at: 0)
        }
        for number in 0..<500 {
            _ = order.add(
                .init(token: UInt64(number), network: "198.51.100.1", account: account(number)), at: 0)
        }
        if order.add(right, at: 0)?.token == right.token { return .max }
        var checked = 0
        // The loop begins when the delay ends.
        for tick in UInt64(20)..<2000 {
            while let token = order.next(at: tick) {
                checked += 1
                if token == right.token { return checked }
                order.ended()
            }
        }
        return .max
    }
}
