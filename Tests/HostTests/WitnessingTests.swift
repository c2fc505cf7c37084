import EventSourcing
import EventStore
import Events
import Host
import TestKit
import Testing
import Vocabulary
import Wire

@Suite("An origin that only witnesses")
struct WitnessingTests {
    private let now = Instant(microseconds: 1_780_000_000_000_000)

    /// Thirty entries that end with nothing asked; it asks after the tenth and the twentieth report.
    private func hub() throws -> MemoryLog {
        let log = try MemoryLog(feed: "trace-ledger/farm-0", why: "test", at: now)
        for number in 1...30 {
            _ = try log.stage(Commit([CountingService.report("ble:07", number)]), at: now)
            guard number == 10 || number == 20 else { continue }
            let ask = Draft(WitnessAsked(checkpoint: "note \(number)"), in: "witness", by: .service("trace-ledger"))
            _ = try log.stage(Commit([ask]), at: now)
        }
        try log.commit()
        return log
    }

    /// As its readers see it.
    private func head(of hub: MemoryLog) -> Head {
        Head(feed: "hub", epoch: hub.head.epoch, position: hub.head.position, hash: hub.head.hash)
    }

    private func core(_ log: any EventLog) throws -> Core<CountingService> {
        Core(
            service: CountingService(), log: log, tables: try MemoryTables(Folding<CountingService>.schemas))
    }

    private func hear(_ core: Core<CountingService>, _ hub: MemoryLog, from first: Position, pages: Int) throws {
        for entries in try hub.reader().entries(from: first, through: hub.head.position).chunks(of: pages) {
            try core.hear(Page(head: head(of: hub), entries: entries), at: now)
            _ = try core.commit()
        }
    }

    private func facts(_ log: any EventLog) throws -> [JournalFact] {
        try log.reader().entries(from: 1, through: log.head.position).compactMap { entry in
            if case .journal(let fact) = try Told(reading: entry.bytes).fact { fact } else { nil }
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
        #expect(!facts.contains { if case .intakeTaken = $0 { true } else { false } })
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
        #expect(core.tables.get(IntakeRow.self, "hub")?.parked == 0)
        #expect(core.folding.checkpoint(of: "hub")?.position == 23)
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
