import EventSourcing
import EventStore
import Events
import Host
import Testing
import Vocabulary

@Suite("Projection of a journal")
struct FoldingTests {
    private let now = Instant(microseconds: 1_780_000_000_000_000)

    /// A run with two foreign journals consumed in random order, own commands between them, and commits at random.
    private func run(seed: UInt64) throws -> (runtime: ServiceRuntime<CountingService>, others: [String: MemoryLog]) {
        let runtime = ServiceRuntime(
            service: CountingService(), log: try MemoryLog(feed: "counting/farm-0", why: "test", at: now),
            tables: try MemoryTables(Folding<CountingService>.schemas))
        var others: [String: MemoryLog] = [:]
        var heard: [String: Position] = [:]
        var state = seed
        func random(_ range: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % range
        }
        for feed in ["other/farm-0", "other/farm-1"] {
            let log = try MemoryLog(feed: feed, why: "test", at: now)
            others[feed] = log
            for number in 1...60 {
                _ = try log.stage(Commit([CountingService.report("ble:0\(random(5))", number)]), at: now)
            }
            try log.commit()
            heard[feed] = 0
        }
        for id in 0..<60 {
            let feed = "other/farm-\(random(2))"
            if random(3) == 0 {
                let ask = Request(
                    id: UInt64(id), verb: "count", body: [], actor: .service("test"), key: "k\(id)",
                    entropy: Array(repeating: 0, count: 16))
                try runtime.take(.asked(ask), at: now)
            } else if let log = others[feed], let from = heard[feed] {
                let entries = try log.reader().read(from: from + 1, events: 1 + random(9), bytes: 1_000_000)
                try runtime.consume(Page(head: log.head, entries: entries), at: now)
                heard[feed] = entries.last?.position ?? from
            }
            if random(4) == 0 { _ = try runtime.commit() }
        }
        _ = try runtime.commit()
        return (runtime, others)
    }

    /// Rebuilds the tables; foreign events are read in pages of at most `piece`.
    private func rebuild(
        _ runtime: ServiceRuntime<CountingService>, _ others: [String: MemoryLog], piece: Int = .max
    ) throws -> [TableDigest] {
        let tables = try MemoryTables(Folding<CountingService>.schemas)
        let folding = Folding<CountingService>(of: "counting/farm-0", into: tables)
        for entry in try runtime.log.reader().entries(from: 1, through: runtime.log.head.position) {
            try folding.fold(entry) { feed, after, through in
                let all = try others[feed]?.reader().entries(from: (after?.position ?? 0) + 1, through: through) ?? []
                return Array(all.prefix(piece))
            }
        }
        try tables.flush(at: runtime.log.head.position)
        return try tables.digests()
    }

    /// The mutant: projects foreign events by origin, then all own events.
    private func rebuildByOrigin(_ runtime: ServiceRuntime<CountingService>, _ others: [String: MemoryLog]) throws
        -> [TableDigest]
    {
        let tables = try MemoryTables(Folding<CountingService>.schemas)
        let folding = Folding<CountingService>(of: "counting/farm-0", into: tables)
        for feed in others.keys.sorted() {
            let last = runtime.tables.get(FeedCheckpointRow.self, feed)?.checkpoint.position
            for entry in try others[feed]?.reader().entries(from: 1, through: last ?? 0) ?? [] {
                folding.fold(own: try RecordedEvent(reading: entry.bytes))
            }
        }
        for entry in try runtime.log.reader().entries(from: 1, through: runtime.log.head.position) {
            folding.fold(own: try RecordedEvent(reading: entry.bytes))
        }
        return try tables.digests()
    }

    @Test func `a rebuild gives the live tables for every order of events`() throws {
        var runs = 0
        var caught = 0
        for seed in 1...40 {
            let (runtime, others) = try run(seed: UInt64(seed))
            let live = try runtime.tables.digests()
            #expect(try rebuild(runtime, others) == live, "seed \(seed)")
            #expect(try rebuild(runtime, others, piece: 2) == live, "seed \(seed), page by page")
            runs += 1
            let wrong = try rebuildByOrigin(runtime, others).first { $0.table == "count" }
            if wrong?.digest != live.first(where: { $0.table == "count" })?.digest { caught += 1 }
        }
        print("folding: \(runs) runs rebuilt equal; folding origin by origin was caught in \(caught)")
        #expect(runs == 40)
        #expect(caught > 30)
    }
}
