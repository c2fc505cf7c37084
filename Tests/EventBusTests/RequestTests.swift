import EventSourcing
import Foundation
import Testing
import Vocabulary
import ZeroMQ

@testable import EventBus

/// A request server and a client on one thread, with a clock that the test advances.
final class Exchange {
    let context: Context
    let endpoint: String
    let requestClient: RequestClient
    var requestServer: RequestServer?
    var now: Int64 = 5_000_000
    private var poller = Poller()
    private var slot: Int?

    init(_ transport: Transport = .ipc, opensServer: Bool = true) throws {
        context = try Context()
        endpoint = try transport.fresh(context)
        requestClient = try RequestClient(endpoint: endpoint, context: context)
        _ = poller.add(requestClient.socket)
        if opensServer { try openServer() }
    }

    func openServer() throws {
        let requestServer = try rebinding { try RequestServer(endpoint: endpoint, context: context) }
        slot = poller.add(requestServer.socket)
        self.requestServer = requestServer
    }

    func closeServer() {
        if let slot { poller.remove(slot) }
        requestServer = nil
    }

    func ask(
        _ body: String = "{}", key: String? = nil, entropy: UInt8 = 7, seconds: Double = 10, repeats: Bool? = nil
    ) throws -> UInt64 {
        try requestClient.ask(
            verb: "harvest", body: Array(body.utf8), actor: .service("test"), key: key,
            entropy: [UInt8](repeating: entropy, count: 16), seconds: seconds, repeats: repeats, at: now)
    }

    /// Returns the requests that the server receives, until there are `count` or `seconds` have passed.
    func asks(_ count: Int, seconds: Double = 10) throws -> [IncomingRequest] {
        var asks: [IncomingRequest] = []
        let end = Date().addingTimeInterval(seconds)
        while asks.count < count, Date() < end {
            _ = try poller.wait(milliseconds: 5)
            _ = try outcomesNow()
            asks += try requestServer?.receive(limit: 100) ?? []
        }
        return asks
    }

    private(set) var outcomes: [UInt64: RequestClient.Outcome] = [:]

    func outcomesNow() throws -> [UInt64: RequestClient.Outcome] {
        for (request, outcome) in try requestClient.receive(at: now) {
            #expect(outcomes.updateValue(outcome, forKey: request) == nil, "one outcome for one request")
        }
        return outcomes
    }

    /// Returns the outcome of a request, or nil after `seconds`.
    func outcome(_ request: UInt64, seconds: Double = 10) throws -> RequestClient.Outcome? {
        let end = Date().addingTimeInterval(seconds)
        while try outcomesNow()[request] == nil, Date() < end { _ = try poller.wait(milliseconds: 5) }
        return outcomes[request]
    }

    /// Waits until the client is connected, by a request that the server responds to.
    func meet() throws {
        let request = try ask(repeats: true)
        var asks: [IncomingRequest] = []
        while asks.isEmpty {
            asks = try self.asks(1, seconds: 0.02)
            now += 20_000
        }
        try requestServer?.answer(asks[0], Response(status: 204, body: []))
        #expect(try outcome(request) == .answer(Response(status: 204, body: [])))
    }
}

@Suite("Requests on the bus", .serialized)
struct AskingTests {
    @Test(arguments: Transport.allCases)
    func `a request reaches the server with all its fields, and its response returns`(transport: Transport) throws {
        let exchange = try Exchange(transport)
        try exchange.meet()
        let request = try exchange.ask(#"{"lot":"L-1"}"#, key: "k1", seconds: 30)
        let asks = try exchange.asks(1)
        let ask = try #require(asks.first)
        #expect(ask.verb == "harvest")
        #expect(ask.body == Array(#"{"lot":"L-1"}"#.utf8))
        #expect(ask.actor == .service("test"))
        #expect(ask.key == "k1")
        #expect(ask.entropy == [UInt8](repeating: 7, count: 16))
        #expect(ask.deadlineMilliseconds == 30_000)
        #expect(ask.user == nil)
        let answer = Response(status: 422, body: Array(#"{"code":"alreadyHarvested"}"#.utf8))
        try exchange.requestServer?.answer(ask, answer)
        #expect(try exchange.outcome(request) == .answer(answer))
        #expect(exchange.requestClient.outstanding == 0)
    }

    /// A service that fails sends a last response and ends. A `RequestClient` drops what it has not read when its
    /// connection is lost (ZMQ_IMMEDIATE), and repeats the request. This test is about the server, so its client is a
    /// plain socket.
    @Test(arguments: Transport.allCases)
    func `a response that is sent right before the server closes still arrives`(transport: Transport) throws {
        let context = try Context()
        let endpoint = try transport.fresh(context)
        let line = try Socket(.dealer, in: context)
        try line.connect(endpoint)
        let entropy = Hex.encode([UInt8](repeating: 7, count: 16))
        let header = #"{"verb":"harvest","actor":"service/test","entropy":"\#(entropy)","deadline":1}"#
        let ask = Message(.asked, request: 1, header: Array(header.utf8), payload: [1])
        #expect(try line.send(ask.frames))
        let answer = Response(status: 500, body: [UInt8](repeating: 7, count: 900_000))
        do {
            let requestServer = try rebinding { try RequestServer(endpoint: endpoint, context: context) }
            var poller = Poller()
            _ = poller.add(requestServer.socket)
            var asks: [IncomingRequest] = []
            let end = Date().addingTimeInterval(10)
            while asks.isEmpty, Date() < end {
                _ = try poller.wait(milliseconds: 5)
                asks = try requestServer.receive(limit: 1)
            }
            #expect(requestServer.counts.total == 0, "\(requestServer.counts)")
            try requestServer.answer(try #require(asks.first), answer)
        }
        var poller = Poller()
        _ = poller.add(line)
        var frames: [[UInt8]]?
        let end = Date().addingTimeInterval(10)
        while frames == nil, Date() < end {
            _ = try poller.wait(milliseconds: 5)
            frames = try line.receive()
        }
        #expect(try Message(#require(frames)).payload == answer.body)
    }

    /// The first request may have been lost: a restarted service does not know it.
    @Test(arguments: Transport.allCases)
    func `a query without a key is sent again after its server restarts`(transport: Transport) throws {
        let exchange = try Exchange(transport)
        try exchange.meet()
        let request = try exchange.ask(seconds: 60)
        #expect(try exchange.asks(1).count == 1)
        // The query takes its time and is not repeated meanwhile.
        exchange.now += 5_000_000
        #expect(try exchange.asks(1, seconds: 0.2).isEmpty)
        exchange.closeServer()
        try exchange.openServer()
        var asks: [IncomingRequest] = []
        let end = Date().addingTimeInterval(10)
        while asks.isEmpty, Date() < end {
            asks = try exchange.asks(1, seconds: 0.02)
            exchange.now += 20_000
        }
        let answer = Response(status: 200, body: [1])
        try exchange.requestServer?.answer(try #require(asks.first), answer)
        #expect(try exchange.outcome(request) == .answer(answer))
    }

    @Test func `a request has an unknown outcome after its deadline, and a late response is ignored`() throws {
        let exchange = try Exchange()
        try exchange.meet()
        let request = try exchange.ask(seconds: 2)
        let asks = try exchange.asks(1)
        exchange.now += 1_999_000
        #expect(try exchange.outcomesNow()[request] == nil)
        exchange.now += 1_000
        #expect(try exchange.outcomesNow()[request] == .unknown)
        try exchange.requestServer?.answer(asks[0], Response(status: 200, body: []))
        let next = try exchange.ask(seconds: 2)
        let more = try exchange.asks(1)
        try exchange.requestServer?.answer(more[0], Response(status: 201, body: []))
        #expect(try exchange.outcome(next) == .answer(Response(status: 201, body: [])))
        #expect(exchange.outcomes[request] == .unknown)
        #expect(exchange.requestClient.counts[.lateAnswer] == 1)
    }

    @Test func `a request with a key is repeated unchanged every second until its response arrives`() throws {
        let exchange = try Exchange()
        try exchange.meet()
        let request = try exchange.ask(#"{"kg":5}"#, key: "k2", entropy: 9)
        var received = try exchange.asks(1)
        for _ in 0..<3 {
            exchange.now += 999_000
            #expect(try exchange.asks(1, seconds: 0.05).isEmpty)
            exchange.now += 1_000
            received += try exchange.asks(1)
        }
        #expect(received.count == 4)
        #expect(Set(received.map(\.request)) == [request])
        #expect(received.allSatisfy { $0.key == "k2" && $0.entropy == [UInt8](repeating: 9, count: 16) })
        #expect(received.allSatisfy { $0.body == received[0].body && $0.actor == received[0].actor })
        #expect(received.map(\.deadlineMilliseconds) == [10_000, 9_000, 8_000, 7_000])
        for ask in received { try exchange.requestServer?.answer(ask, Response(status: 200, body: [])) }
        #expect(try exchange.outcome(request) == .answer(Response(status: 200, body: [])))
        exchange.now += 5_000_000
        #expect(try exchange.asks(1, seconds: 0.05).isEmpty)
        #expect(exchange.requestClient.counts[.lateAnswer] == 3)
    }

    @Test func `a request without a key is repeated only if the caller requires it`() throws {
        let exchange = try Exchange()
        try exchange.meet()
        _ = try exchange.ask()
        #expect(try exchange.asks(1).count == 1)
        exchange.now += 3_000_000
        #expect(try exchange.asks(1, seconds: 0.05).isEmpty)
        _ = try exchange.ask(repeats: true)
        #expect(try exchange.asks(1).count == 1)
        exchange.now += 1_000_000
        #expect(try exchange.asks(1).count == 1)
    }

    @Test func `a request with a key survives the restart of its server`() throws {
        let exchange = try Exchange(.tcp)
        try exchange.meet()
        let request = try exchange.ask(key: "k3", entropy: 3, seconds: 60)
        #expect(try exchange.asks(1).count == 1)
        exchange.closeServer()
        try exchange.openServer()
        var received: [IncomingRequest] = []
        while received.isEmpty, exchange.now < 50_000_000 {
            exchange.now += 50_000
            received = try exchange.asks(1, seconds: 0.05)
        }
        let ask = try #require(received.first)
        #expect(ask.key == "k3" && ask.request == request && ask.entropy == [UInt8](repeating: 3, count: 16))
        try exchange.requestServer?.answer(ask, Response(status: 200, body: []))
        #expect(try exchange.outcome(request) == .answer(Response(status: 200, body: [])))
    }

    @Test func `a request waits for a server that is not bound yet`() throws {
        let exchange = try Exchange(opensServer: false)
        let request = try exchange.ask(seconds: 60)
        #expect(try exchange.outcomesNow().isEmpty)
        try exchange.openServer()
        var received: [IncomingRequest] = []
        while received.isEmpty, exchange.now < 50_000_000 {
            exchange.now += 20_000
            received = try exchange.asks(1, seconds: 0.02)
        }
        #expect(received.map(\.request) == [request])
        // The query was not sent before, so it arrives once although it has no key.
        exchange.now += 2_000_000
        #expect(try exchange.asks(1, seconds: 0.05).isEmpty)
    }

    @Test func `the number of pending requests and the sizes of their fields are limited`() throws {
        let exchange = try Exchange(opensServer: false)
        for _ in 0..<BusLimits.requestsPending { _ = try exchange.ask() }
        #expect(throws: BusError.full(what: "asks", limit: 4096)) { try exchange.ask() }
        exchange.now += 10_000_000
        #expect(try exchange.outcomesNow().values.allSatisfy { $0 == .unknown })
        #expect(exchange.outcomes.count == 4096)
        let large = String(repeating: "x", count: BusLimits.bodyBytes + 1)
        #expect(throws: BusError.outOfBounds(what: "body", count: large.utf8.count, limit: BusLimits.bodyBytes)) {
            try exchange.ask(large)
        }
        #expect(throws: BusError.self) { try exchange.ask(key: "") }
        #expect(throws: BusError.self) { try exchange.ask(key: String(repeating: "k", count: 256)) }
        #expect(exchange.requestClient.outstanding == 0)
    }

    @Test func `the largest body and the largest response arrive whole`() throws {
        let exchange = try Exchange(.tcp)
        try exchange.meet()
        let request = try exchange.ask(String(repeating: "x", count: BusLimits.bodyBytes))
        let asks = try exchange.asks(1)
        #expect(asks.first?.body.count == BusLimits.bodyBytes)
        let answer = Response(status: 200, body: [UInt8](repeating: 1, count: BusLimits.bodyBytes))
        try exchange.requestServer?.answer(asks[0], answer)
        #expect(try exchange.outcome(request) == .answer(answer))
    }

    @Test func `a response above the size limit is replaced by an error response at once`() throws {
        let exchange = try Exchange(.tcp)
        try exchange.meet()
        let request = try exchange.ask()
        let ask = try #require(try exchange.asks(1).first)
        let tooLarge = Response(status: 200, body: [UInt8](repeating: 1, count: BusLimits.bodyBytes + 1))
        #expect(
            throws: BusError.outOfBounds(
                what: "answer", count: BusLimits.bodyBytes + 1, limit: BusLimits.bodyBytes)
        ) { try exchange.requestServer?.answer(ask, tooLarge) }
        guard case .answer(let response)? = try exchange.outcome(request) else {
            Issue.record("no response arrived")
            return
        }
        #expect(response.status == 500 && String(decoding: response.body, as: UTF8.self).contains("answer-too-large"))
    }

    @Test func `a response to a client that has gone is dropped and counted`() throws {
        let exchange = try Exchange()
        let ask = IncomingRequest(
            peer: [0, 1, 2, 3, 4], request: 1, verb: "harvest", body: [], actor: .service("test"), key: nil,
            entropy: [UInt8](repeating: 0, count: 16), deadlineMilliseconds: 1000, user: nil)
        try exchange.requestServer?.answer(ask, Response(status: 200, body: []))
        #expect(exchange.requestServer?.counts[.undelivered] == 1)
    }

    @Test func `a request carries the authenticated user of its client`() throws {
        let context = try Context()
        let server = Curve.keyPair()
        let client = Curve.keyPair()
        let authenticator = try ZAPAuthenticator(in: context, allow: [client.public: "sync-gateway/farm-0"])
        let requestServer = try RequestServer(
            endpoint: "tcp://127.0.0.1:*", context: context, curve: .server(secretKey: server.secret))
        let requestClient = try RequestClient(
            endpoint: requestServer.socket.lastEndpoint, context: context,
            curve: .client(serverKey: server.public, publicKey: client.public, secretKey: client.secret))
        let user = UserSeen()
        let thread = answering(requestServer) { ask in
            user.set(ask.user)
            return Response(status: 200, body: ask.body)
        }
        let outcome = try requestClient.askAndWait(
            verb: "lot", body: [1, 2], actor: .service("test"), key: nil,
            entropy: [UInt8](repeating: 1, count: 16), seconds: 20, repeats: true)
        #expect(outcome == .answer(Response(status: 200, body: [1, 2])))
        #expect(user.name == "sync-gateway/farm-0")
        #expect(authenticator.counts.admitted == 1)
        thread.stop()
    }

    @Test func `a caller can wait for a response or for the deadline`() throws {
        let context = try Context()
        let endpoint = try Transport.ipc.fresh(context)
        let thread = answering(try RequestServer(endpoint: endpoint, context: context)) { ask in
            Response(status: 200, body: ask.entropy)
        }
        let requestClient = try RequestClient(endpoint: endpoint, context: context)
        let entropy = [UInt8](repeating: 5, count: 16)
        let clock = MonotonicClock()
        for _ in 0..<500 {
            let outcome = try requestClient.askAndWait(
                verb: "lot", body: [], actor: .service("test"), key: nil, entropy: entropy, seconds: 20)
            #expect(outcome == .answer(Response(status: 200, body: entropy)))
        }
        print("asked and answered 500 times: \(clock.microseconds / 500) µs each")
        thread.stop()
        let start = clock.microseconds
        let outcome = try requestClient.askAndWait(
            verb: "lot", body: [], actor: .service("test"), key: "k", entropy: entropy, seconds: 0.2)
        #expect(outcome == .unknown)
        #expect(clock.microseconds - start >= 200_000)
    }
}
