import EventSourcing
import EventStore
import Events
import Testing
import Vocabulary
import Wire

@testable import Host

@Suite("A parked event")
struct ParkedTests {
    private let now = Instant(microseconds: 1_780_000_000_000_000)

    private func core() throws -> Core<CountingService> {
        Core(
            service: CountingService(), log: try MemoryLog(feed: "counting/farm-0", why: "test", at: now),
            tables: try MemoryTables(Folding<CountingService>.schemas))
    }

    private func other(_ feed: String, reports: Int) throws -> MemoryLog {
        let log = try MemoryLog(feed: feed, why: "test", at: now)
        for number in 1...reports {
            _ = try log.stage(Commit([CountingService.report("ble:0\(number % 5)", number)]), at: now)
        }
        try log.commit()
        return log
    }

    private func rebuild(
        _ core: Core<CountingService>, _ others: [String: MemoryLog], asTold: Bool = false
    ) throws -> [TableDigest] {
        let tables = try MemoryTables(Folding<CountingService>.schemas)
        let folding = Folding<CountingService>(of: "counting/farm-0", into: tables)
        for entry in try core.log.reader().entries(from: 1, through: core.log.head.position) {
            let told = try Told(reading: entry.bytes)
            if asTold, case .journal(.intakeTaken(var intake)) = told.fact {
                // The mutant: what is parked is folded where it was told, as if it had been readable.
                intake.parked = []
                let after = folding.checkpoint(of: intake.feed)?.position ?? 0
                let entries = try others[intake.feed]?.reader().entries(from: after + 1, through: intake.last) ?? []
                folding.fold(
                    foreign: try entries.map { try Told(reading: $0.bytes) }.filter(folding.isNews), naming: intake)
                continue
            }
            try folding.fold(entry) { feed, after, through in
                try others[feed]?.reader().entries(from: (after?.position ?? 0) + 1, through: through) ?? []
            }
        }
        try tables.flush(at: core.log.head.position)
        return try tables.digests()
    }

    @Test func `that is tried again later folds there, live and anew, whatever the turns were`() throws {
        var (retried, skipped, caught) = (0, 0, 0)
        for seed in 1...40 {
            let core = try core()
            var others: [String: MemoryLog] = [:]
            for slot in 0..<2 { others["other/farm-\(slot)"] = try other("other/farm-\(slot)", reports: 60) }
            var heard: [String: Position] = [:]
            var waiting: [(feed: String, position: Position)] = []
            var chance = UInt64(seed)
            func random(_ range: Int) -> Int {
                chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(chance >> 33) % range
            }
            for turn in 0..<60 {
                if random(3) == 0, !waiting.isEmpty {
                    let (feed, position) = waiting.remove(at: random(waiting.count))
                    let isSkipped = random(4) == 0
                    let problem = try core.resolve(
                        feed, position, skippingBecause: isSkipped ? "not ours" : nil, at: now)
                    #expect(problem == nil)
                    if isSkipped { skipped += 1 } else { retried += 1 }
                    continue
                }
                let feed = "other/farm-\(random(2))"
                guard let log = others[feed] else { continue }
                let from = heard[feed] ?? 0
                let entries = try log.reader().read(from: from + 1, events: 1 + random(9), bytes: 1_000_000)
                // The first entry of a journal is about itself, and nobody's news.
                let parked = random(2) == 0 ? entries.first { $0.position > 1 }?.position : nil
                try core.hear(
                    Page(head: log.head, entries: entries), at: now,
                    doubting: { $0.position == parked ? "it is not understood yet" : nil })
                if let parked { waiting.append((feed, parked)) }
                heard[feed] = entries.last?.position ?? from
                if turn.isMultiple(of: 4) { _ = try core.commit() }
            }
            _ = try core.commit()
            let live = try core.tables.digests()
            #expect(try rebuild(core, others) == live, "seed \(seed)")
            let rows = core.tables.scan(ParkedRow.self, prefix: "", after: nil, limit: 1000)
            #expect(Set(rows.map { "\($0.feed) \($0.position)" }) == Set(waiting.map { "\($0.feed) \($0.position)" }))
            #expect(
                others.keys.reduce(0) { $0 + (core.tables.get(IntakeRow.self, $1)?.parked ?? 0) } == waiting.count)
            if try rebuild(core, others, asTold: true) != live { caught += 1 }
        }
        print("parked: \(retried) tried again, \(skipped) left out in 40 worlds; the mutant was caught in \(caught)")
        #expect(retried > 100 && skipped > 20 && caught > 30)
    }

    @Test func `that still cannot be read stays, and one that is not there is said so`() throws {
        let core = try core()
        let log = try other("other/farm-0", reports: 1)
        var entries = try log.reader().read(from: 1, events: 10, bytes: 100_000)
        entries.append(Entry(position: 3, hash: entries[1].hash, bytes: Array("{\"no\":\"event\"}".utf8)))
        try core.hear(Page(head: log.head, entries: entries), at: now)
        #expect(try core.resolve("other/farm-0", 3, skippingBecause: nil, at: now)?.code == "still-unreadable")
        #expect(try core.resolve("other/farm-0", 2, skippingBecause: nil, at: now)?.code == "not-parked")
        let row = try #require(core.tables.get(ParkedRow.self, ParkedRow.key("other/farm-0", 3)))
        #expect(row.position == 3 && row.feed == "other/farm-0" && row.bytes == entries[2].bytes)
        #expect(try core.resolve("other/farm-0", 3, skippingBecause: "garbage", at: now) == nil)
        #expect(core.tables.get(IntakeRow.self, "other/farm-0")?.parked == 0)
        #expect(try core.resolve("other/farm-0", 3, skippingBecause: "garbage", at: now)?.code == "not-parked")
        _ = try core.commit()
        let last = try #require(try core.log.reader().entries(from: 1, through: core.log.head.position).last)
        guard case .journal(.parkedResolved(let resolved)) = try Told(reading: last.bytes).fact else {
            Issue.record("nothing was written down")
            return
        }
        #expect(resolved.outcome == "skipped" && resolved.reason == "garbage")
    }
}
