import EventSourcing
import EventStore
import Events
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Host

@Suite("An origin that only witnesses the hub")
struct WitnessingTests {
    private let now = Instant(microseconds: 1_780_000_000_000_000)

    /// A hub with `reports` reports. It requests a witness after every `each` of them, but not at the end.
    private func hub(reports: Int = 30, askingAfter each: Int = 10) throws -> MemoryLog {
        let log = try MemoryLog(feed: "trace-ledger/farm-0", why: "test", at: now)
        for number in 1...reports {
            _ = try log.stage(Commit([CountingService.report("ble:07", number)]), at: now)
            guard number % each == 0, number < reports else { continue }
            let ask = Draft(WitnessRequested(checkpoint: "note \(number)"), in: "witness", by: .service("trace-ledger"))
            _ = try log.stage(Commit([ask]), at: now)
        }
        try log.commit()
        return log
    }

    /// The head of the hub, as its subscribers see it.
    private func head(of hub: MemoryLog) -> Head {
        Head(feed: "hub", epoch: hub.head.epoch, position: hub.head.position, hash: hub.head.hash)
    }

    private func runtime(_ log: any EventLog) throws -> ServiceRuntime<CountingService> {
        ServiceRuntime(
            service: CountingService(), log: log, tables: try MemoryTables(Folding<CountingService>.schemas))
    }

    private func consume(_ runtime: ServiceRuntime<CountingService>, _ hub: MemoryLog, from first: Position, pages: Int)
        throws
    {
        for entries in try hub.reader().entries(from: first, through: hub.head.position).chunks(of: pages) {
            try runtime.consume(Page(head: head(of: hub), entries: entries), at: now)
            _ = try runtime.commit()
        }
    }

    private func facts(_ log: any EventLog) throws -> [JournalEvent] {
        try log.reader().entries(from: 1, through: log.head.position).compactMap { entry in
            if case .journal(let fact) = try RecordedEvent(reading: entry.bytes).fact { fact } else { nil }
        }
    }

    @Test(arguments: [1, 7, 100])
    func `the chain is witnessed where the hub requests it, and nothing else is recorded`(pageEvents: Int) throws {
        // Given a hub that requests two witnesses
        let hub = try hub()
        let log = try MemoryLog(feed: "counting/farm-1", why: "test", at: now)
        let runtime = try runtime(log)
        // When it is read in pages of some size
        try consume(runtime, hub, from: 1, pages: pageEvents)
        // Then the last requested position is in the journal, with its hash, and without a checkpoint event
        let facts = try facts(log)
        let witnessed = facts.compactMap { fact in
            if case .checkpointWitnessed(let event) = fact { event } else { nil }
        }
        let last = try #require(witnessed.last)
        #expect(witnessed.count == (pageEvents == 100 ? 1 : 2))
        #expect(last.feed == "hub" && last.checkpoint == "note 20" && last.epoch == hub.head.epoch)
        #expect(last.hash == Hex.encode(try #require(try hub.reader().hash(at: last.position))))
        #expect(!facts.contains { if case .feedConsumed = $0 { true } else { false } })
        #expect(runtime.tables.get(CountRow.self, "ble:07") == nil)
        // And the subscription continues there after a rebuild
        let place = try #require(runtime.folding.checkpoint(of: "hub"))
        #expect(place.position == last.position && Hex.encode(place.hash) == last.hash)
        let tables = try MemoryTables(Folding<CountingService>.schemas)
        let folding = Folding<CountingService>(of: "counting/farm-1", into: tables)
        for entry in try log.reader().entries(from: 1, through: log.head.position) {
            try folding.fold(entry) { _, _, _ in
                Issue.record("nothing of the hub is needed")
                return []
            }
        }
        try tables.flush(at: log.head.position)
        try runtime.flush()
        #expect(try tables.digests() == runtime.tables.digests())
    }

    @Test func `a witness is not recorded again when the same pages are read after a restart`() throws {
        let hub = try hub()
        let log = try MemoryLog(feed: "counting/farm-1", why: "test", at: now)
        try consume(try runtime(log), hub, from: 1, pages: 100)
        let head = log.head.position
        try consume(try runtime(log), hub, from: 1, pages: 100)
        #expect(log.head.position == head)
    }

    @Test func `few witnesses are recorded for a long history, and enough of them to resume after a stop`() throws {
        // Given a hub that requested a witness every hundred reports
        let pace = HostLimits.eventsUnmarked
        let hub = try hub(reports: 3 * pace, askingAfter: 100)
        let log = try MemoryLog(feed: "counting/farm-1", why: "test", at: now)
        let runtime = try runtime(log)
        var first: Position = 1
        // When all of it is read in pages, then the checkpoint is never far behind
        for entries in try hub.reader().entries(from: 1, through: hub.head.position).chunks(of: 50) {
            try runtime.consume(Page(head: head(of: hub), entries: entries), at: now)
            _ = try runtime.commit()
            first = (entries.last?.position ?? 0) + 1
            #expect(first <= (runtime.folding.checkpoint(of: "hub")?.position ?? 0) + Position(pace + 200))
        }
        // And most old requests are skipped, but no recent one
        let said = try facts(log).count { if case .checkpointWitnessed = $0 { true } else { false } }
        #expect(first == hub.head.position + 1)
        #expect((pace / 101...pace / 101 + 4).contains(said), "\(said) of \(3 * pace / 100)")
        print("of \(3 * pace / 100) requests of a long history \(said) were witnessed")
    }

    @Test func `an origin that only witnesses skips unreadable events, which other services park`() throws {
        let hub = try hub()
        var entries = try hub.reader().entries(from: 1, through: hub.head.position)
        let last = try #require(entries.last)
        entries.append(
            Entry(position: last.position + 1, hash: last.hash, bytes: Array(#"{"no":"event"}"#.utf8)))
        let log = try MemoryLog(feed: "counting/farm-1", why: "test", at: now)
        let runtime = try runtime(log)
        try runtime.consume(Page(head: head(of: hub), entries: entries), at: now)
        _ = try runtime.commit()
        #expect(runtime.tables.get(FeedCheckpointRow.self, "hub")?.parked == 0)
        #expect(runtime.folding.checkpoint(of: "hub")?.position == 23)
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
