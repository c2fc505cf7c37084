import EventSourcing
import EventStore
import Events
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Host

@Suite("An origin that only witnesses")
struct WitnessingTests {
    private let now = Instant(microseconds: 1_780_000_000_000_000)

    /// So many reports. It asks after every `each` of them, but not at the end.
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

    /// As its readers see it.
    private func head(of hub: MemoryLog) -> Head {
        Head(feed: "hub", epoch: hub.head.epoch, position: hub.head.position, hash: hub.head.hash)
    }

    private func core(_ log: any EventLog) throws -> ServiceRuntime<CountingService> {
        ServiceRuntime(
            service: CountingService(), log: log, tables: try MemoryTables(Folding<CountingService>.schemas))
    }

    private func hear(_ core: ServiceRuntime<CountingService>, _ hub: MemoryLog, from first: Position, pages: Int)
        throws
    {
        for entries in try hub.reader().entries(from: first, through: hub.head.position).chunks(of: pages) {
            try core.hear(Page(head: head(of: hub), entries: entries), at: now)
            _ = try core.commit()
        }
    }

    private func facts(_ log: any EventLog) throws -> [JournalEvent] {
        try log.reader().entries(from: 1, through: log.head.position).compactMap { entry in
            if case .journal(let fact) = try RecordedEvent(reading: entry.bytes).fact { fact } else { nil }
        }
    }

    @Test(arguments: [1, 7, 100])
    func `writes down what the chain is where it is asked, and takes nothing else in`(pageEvents: Int) throws {
        // Given a hub that asks twice
        let hub = try hub()
        let log = try MemoryLog(feed: "counting/farm-1", why: "test", at: now)
        let core = try core(log)
        // When it is read in pages of some size
        try hear(core, hub, from: 1, pages: pageEvents)
        // Then the last place where it asked stands in the journal, with the chain there, and no intake entry
        let facts = try facts(log)
        let witnessed = facts.compactMap { fact in
            if case .checkpointWitnessed(let event) = fact { event } else { nil }
        }
        let last = try #require(witnessed.last)
        #expect(witnessed.count == (pageEvents == 100 ? 1 : 2))
        #expect(last.feed == "hub" && last.checkpoint == "note 20" && last.epoch == hub.head.epoch)
        #expect(last.hash == Hex.encode(try #require(try hub.reader().hash(at: last.position))))
        #expect(!facts.contains { if case .feedConsumed = $0 { true } else { false } })
        #expect(core.tables.get(CountRow.self, "ble:07") == nil)
        // And there it goes on, whoever folds its journal
        let place = try #require(core.folding.checkpoint(of: "hub"))
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
        try core.flush()
        #expect(try tables.digests() == core.tables.digests())
    }

    @Test func `says nothing twice when it hears the same again after a start`() throws {
        let hub = try hub()
        let log = try MemoryLog(feed: "counting/farm-1", why: "test", at: now)
        try hear(try core(log), hub, from: 1, pages: 100)
        let head = log.head.position
        try hear(try core(log), hub, from: 1, pages: 100)
        #expect(log.head.position == head)
    }

    @Test func `says little of a long past, and enough to go on from when it is stopped meanwhile`() throws {
        // Given a hub that asked every hundred reports
        let pace = HostLimits.eventsUnmarked
        let hub = try hub(reports: 3 * pace, askingAfter: 100)
        let log = try MemoryLog(feed: "counting/farm-1", why: "test", at: now)
        let core = try core(log)
        var first: Position = 1
        // When all of it is read in pages, Then it is never far from where it would go on
        for entries in try hub.reader().entries(from: 1, through: hub.head.position).chunks(of: 50) {
            try core.hear(Page(head: head(of: hub), entries: entries), at: now)
            _ = try core.commit()
            first = (entries.last?.position ?? 0) + 1
            #expect(first <= (core.folding.checkpoint(of: "hub")?.position ?? 0) + Position(pace + 200))
        }
        // And most of what was asked long ago is passed over, nothing of what was asked lately
        let said = try facts(log).count { if case .checkpointWitnessed = $0 { true } else { false } }
        #expect(first == hub.head.position + 1)
        #expect((pace / 101...pace / 101 + 4).contains(said), "\(said) of \(3 * pace / 100)")
        print("of \(3 * pace / 100) asks of a long past \(said) were answered")
    }

    @Test func `passes over what nobody can read, which others park`() throws {
        let hub = try hub()
        var entries = try hub.reader().entries(from: 1, through: hub.head.position)
        let last = try #require(entries.last)
        entries.append(
            Entry(position: last.position + 1, hash: last.hash, bytes: Array(#"{"no":"event"}"#.utf8)))
        let log = try MemoryLog(feed: "counting/farm-1", why: "test", at: now)
        let core = try core(log)
        try core.hear(Page(head: head(of: hub), entries: entries), at: now)
        _ = try core.commit()
        #expect(core.tables.get(FeedCheckpointRow.self, "hub")?.parked == 0)
        #expect(core.folding.checkpoint(of: "hub")?.position == 23)
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
