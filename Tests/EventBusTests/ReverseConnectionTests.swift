import EventSourcing
import Foundation
import Testing
import ZeroMQ

@testable import EventBus

/// A client that listens and servers that dial it, all on one thread, with a clock that the test advances.
final class ReverseBus {
    let context: Context
    let endpoint: String
    private(set) var requestClient: RequestClient?
    private(set) var servers: [String: RequestServer] = [:]
    var now: Int64 = 5_000_000
    private(set) var outcomes: [UInt64: RequestClient.Outcome] = [:]

    init(_ transport: Transport = .ipc, admit: @escaping (String, String?) -> Bool = { _, _ in true }) throws {
        context = try Context()
        endpoint = try transport.fresh(context)
        try open(admit: admit)
    }

    func open(admit: @escaping (String, String?) -> Bool = { _, _ in true }) throws {
        requestClient = try rebinding { try RequestClient(binding: endpoint, context: context, admit: admit) }
    }

    func close() { requestClient = nil }

    func dial(_ name: String, under key: String? = nil) throws {
        let requestServer = try RequestServer(endpoint: Transport.ipc.fresh(context), context: context)
        _ = try requestServer.call(endpoint, as: name, to: nil, context: context)
        servers[key ?? name] = requestServer
    }

    func hangUp(_ key: String) { servers[key] = nil }

    func ask(_ name: String, _ verb: String = "count", seconds: Double = 60) throws -> UInt64 {
        try #require(requestClient).ask(
            name, verb: verb, body: [], actor: .service("test"), key: "k", entropy: [UInt8](repeating: 1, count: 16),
            seconds: seconds, at: now)
    }

    /// Lets the client and the servers work until `isDone`, or `seconds` have passed.
    func work(seconds: Double = 10, answer: (String, IncomingRequest) -> Response?, until isDone: () -> Bool) throws {
        let end = Date().addingTimeInterval(seconds)
        var pacer = Poller()
        while !isDone(), Date() < end {
            for (key, requestServer) in servers {
                try requestServer.greet(at: now)
                for ask in try requestServer.receive(limit: 100) {
                    if let answer = answer(key, ask) { try requestServer.answer(ask, answer) }
                }
            }
            for (request, outcome) in try requestClient?.receive(at: now) ?? [] { outcomes[request] = outcome }
            now += 5000
            _ = try pacer.wait(milliseconds: 2)
        }
    }
}

@Suite("Servers that dial their client", .serialized)
struct CallingTests {
    private func named(_ key: String) -> Response { Response(status: 200, body: Array(key.utf8)) }

    @Test(arguments: Transport.allCases)
    func `a request reaches only the server that it names`(transport: Transport) throws {
        let bus = try ReverseBus(transport)
        for name in ["ingest/farm-0", "ingest/farm-1", "ingest/farm-2"] { try bus.dial(name) }
        let requests = try (0..<30).map { (name: "ingest/farm-\($0 % 3)", id: try bus.ask("ingest/farm-\($0 % 3)")) }
        try bus.work(answer: { key, _ in named(key) }, until: { bus.outcomes.count == 30 })
        for request in requests { #expect(bus.outcomes[request.id] == .answer(named(request.name))) }
    }

    @Test func `a request waits for its server to dial in, until its deadline`() throws {
        let bus = try ReverseBus()
        let early = try bus.ask("ingest/farm-0")
        let never = try bus.ask("ingest/farm-9", seconds: 0.05)
        try bus.work(answer: { key, _ in named(key) }, until: { bus.outcomes[never] != nil })
        #expect(bus.outcomes == [never: .unknown])
        try bus.dial("ingest/farm-0")
        try bus.work(answer: { key, _ in named(key) }, until: { bus.outcomes[early] != nil })
        #expect(bus.outcomes[early] == .answer(named("ingest/farm-0")))
    }

    @Test func `a server that dials in is known again after its client restarts`() throws {
        let bus = try ReverseBus()
        try bus.dial("ingest/farm-0")
        let first = try bus.ask("ingest/farm-0")
        try bus.work(answer: { key, _ in named(key) }, until: { bus.outcomes[first] != nil })
        bus.close()
        try bus.open()
        let second = try bus.ask("ingest/farm-0", "again")
        try bus.work(
            answer: { _, ask in named(ask.verb) }, until: { bus.outcomes[second] == .answer(named("again")) })
        #expect(bus.outcomes[second] == .answer(named("again")))
    }

    @Test func `a request goes to the process that takes over the name of its server`() throws {
        let bus = try ReverseBus()
        try bus.dial("ingest/farm-0", under: "old")
        let first = try bus.ask("ingest/farm-0")
        try bus.work(answer: { key, _ in named(key) }, until: { bus.outcomes[first] != nil })
        #expect(bus.outcomes[first] == .answer(named("old")))
        // The process ends with a pending request; the process that takes over its name receives it again.
        let second = try bus.ask("ingest/farm-0")
        var wasAsked = false
        try bus.work(
            answer: { _, _ in
                wasAsked = true
                return nil
            }, until: { wasAsked })
        bus.hangUp("old")
        try bus.dial("ingest/farm-0", under: "new")
        try bus.work(answer: { key, _ in named(key) }, until: { bus.outcomes[second] != nil })
        #expect(bus.outcomes[second] == .answer(named("new")))
    }

    @Test func `a server is admitted only under a name that is its own`() throws {
        var tried: [String] = []
        let bus = try ReverseBus(admit: { name, _ in
            tried.append(name)
            return name.hasPrefix("ingest/")
        })
        try bus.dial("ledger/farm-0")
        let request = try bus.ask("ledger/farm-0")
        try bus.work(answer: { key, _ in named(key) }, until: { tried.count >= 3 })
        #expect(bus.outcomes[request] == nil)
        #expect(bus.requestClient?.counts[.notAdmitted] ?? 0 >= 1)
    }
}
