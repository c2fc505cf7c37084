import EventSourcing
import EventStore
import Events
import Host
import JSON
import Testing
import Vocabulary
import Wire

@Suite("The cause of an event")
struct CausationTests {
    private let now = Instant(microseconds: 1_780_000_000_000_000)
    private let trace = TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")

    private func runtime(_ feed: String) throws -> ServiceRuntime<CountingService> {
        ServiceRuntime(
            service: CountingService(), log: try MemoryLog(feed: feed, why: "test", at: now),
            tables: try MemoryTables(Folding<CountingService>.schemas))
    }

    private func ask(_ runtime: ServiceRuntime<CountingService>, _ number: UInt8, _ trace: TraceParent? = nil) throws {
        let ask = Request(
            id: UInt64(number), verb: "count", body: Array("{}".utf8), actor: .service("test"), key: "k\(number)",
            entropy: Array(repeating: number, count: 16), trace: trace)
        try runtime.take(.asked(ask), at: now)
        _ = try runtime.commit()
    }

    private func reports(_ runtime: ServiceRuntime<CountingService>) throws -> [Envelope] {
        try runtime.log.reader().read(from: 1, events: 1_000, bytes: 1 << 20).map {
            try EnvelopeCodec.read($0.bytes).envelope
        }
        .filter { $0.name == Measured.name }
    }

    /// Passes all reports of `publisher` to `subscriber`, `once` entries per page.
    private func deliver(
        _ publisher: ServiceRuntime<CountingService>, to subscriber: ServiceRuntime<CountingService>, at once: Int
    ) throws {
        let entries = try publisher.log.reader().read(from: 1, events: 1_000, bytes: 1 << 20)
        for start in stride(from: 0, to: entries.count, by: once) {
            let page = Array(entries[start..<min(start + once, entries.count)])
            try subscriber.consume(Page(head: publisher.log.head, entries: page), at: now)
            _ = try subscriber.commit()
        }
    }

    @Test func `the events of one request share a correlation, and the next request has another`() throws {
        let runtime = try runtime("counting/farm-0")
        try ask(runtime, 1, trace)
        try ask(runtime, 2)
        let written = try reports(runtime)
        #expect(
            written.map(\.correlation)
                == [1, 2].map { UUID(bytes: Array(repeating: $0, count: 16)).marked(version: 4) })
        #expect(written.map(\.trace) == [trace, nil])
        #expect(written.allSatisfy { $0.causation == nil })
    }

    @Test func `an event caused by a foreign event names it and inherits its correlation and trace`() throws {
        let (publisher, subscriber) = (try runtime("counting/far-0"), try runtime("counting/farm-0"))
        try ask(publisher, 1, trace)
        try deliver(publisher, to: subscriber, at: 1)
        let (cause, effect) = (try #require(try reports(publisher).first), try #require(try reports(subscriber).first))
        #expect(effect.causation == cause.id)
        #expect(effect.correlation == cause.correlation && effect.trace == trace)
    }

    @Test func `an event has no cause if its page held several foreign events`() throws {
        let (publisher, subscriber) = (try runtime("counting/far-0"), try runtime("counting/farm-0"))
        try ask(publisher, 1)
        try ask(publisher, 2)
        try deliver(publisher, to: subscriber, at: 1_000)
        let effects = try reports(subscriber)
        #expect(effects.count == 2)
        #expect(effects.allSatisfy { $0.causation == nil && $0.correlation == nil })
    }
}
