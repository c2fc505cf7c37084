import EventSourcing
import EventStore
import Events
import Testing
import Vocabulary
import Wire

@testable import Host

@Suite("Parked events")
struct ParkedTests {
    private let now = Instant(microseconds: 1_780_000_000_000_000)

    private func core() throws -> ServiceRuntime<CountingService> {
        ServiceRuntime(
            service: CountingService(), log: try MemoryLog(feed: "counting/farm-0", why: "test", at: now),
            tables: try MemoryTables(Folding<CountingService>.schemas))
    }

    private func rebuild(
        _ core: ServiceRuntime<CountingService>, _ others: [String: Foreign], asTold: Bool = false
    ) throws -> [TableDigest] {
        let tables = try MemoryTables(Folding<CountingService>.schemas)
        let folding = Folding<CountingService>(of: "counting/farm-0", into: tables)
        for entry in try core.log.reader().entries(from: 1, through: core.log.head.position) {
            let told = try RecordedEvent(reading: entry.bytes)
            if asTold, case .journal(.feedConsumed(var intake)) = told.fact {
                // The mutant: projects waiting events at their checkpoint event, as if nothing before them were parked.
                let after = folding.checkpoint(of: intake.feed)
                let entries = others[intake.feed]?.entries(after: after, through: intake.last) ?? []
                intake.parked.removeAll { $0.behind != nil }
                let left = Set(intake.parked.map(\.position))
                let news = entries.filter { !left.contains($0.position) }.compactMap(Foreign.told)
                folding.fold(foreign: news.filter(folding.isNews), parking: entries, naming: intake)
                continue
            }
            try folding.fold(entry) { others[$0]?.entries(after: $1, through: $2) ?? [] }
        }
        try tables.flush(at: core.log.head.position)
        return try tables.digests()
    }

    @Test func `a parked event blocks its stream, and a rebuild applies what waited in the same order as the live run`()
        throws
    {
        var sum = Tally()
        for seed in 1...40 {
            let core = try core()
            var chance = SeededNumbers(seed)
            var others: [String: Foreign] = [:]
            for slot in 0..<2 {
                let feed = "other/farm-\(slot)"
                others[feed] = try Foreign(feed, at: now, reports: 60) { chance($0) }
            }
            var heard: [String: Position] = [:]
            for turn in 0..<80 {
                if chance(3) == 0 { sum.add(try decide(core, &chance)) }
                if chance(3) == 0 { try core.release(at: now) }
                let feed = "other/farm-\(chance(2))"
                guard let other = others[feed] else { continue }
                let entries = other.entries.dropFirst(Int(heard[feed] ?? 0)).prefix(1 + chance(9))
                // The first entry of a journal is about the journal itself and is not projected.
                let doubted = chance(2) == 0 ? entries.first { $0.position > 1 }?.position : nil
                try core.hear(
                    Page(head: other.head, entries: Array(entries)), at: now,
                    doubting: { $0.position == doubted ? "it is not understood yet" : nil })
                heard[feed] = entries.last?.position ?? heard[feed]
                if turn.isMultiple(of: 4) { _ = try core.commit() }
            }
            _ = try core.commit()
            #expect(try rebuild(core, others) == core.tables.digests(), "seed \(seed), before the release")
            while core.mayRelease { try core.release(at: now) }
            _ = try core.commit()
            let live = try core.tables.digests()
            #expect(try rebuild(core, others) == live, "seed \(seed)")
            if try rebuild(core, others, asTold: true) != live { sum.caught += 1 }
            let account = try Account(of: core, others)
            #expect(account.overtaken.isEmpty, "seed \(seed)")
            sum.read(account)
            try check(core, account, seed)
        }
        print("parked: \(sum)")
        #expect(sum.retried > 100 && sum.skipped > 50 && sum.released > 200 && sum.again > 30 && sum.caught > 30)
    }

    /// Retries or skips a random parked event; it may be one that waits for another.
    private func decide(_ core: ServiceRuntime<CountingService>, _ chance: inout SeededNumbers) throws -> String? {
        let rows = core.tables.scan(ParkedRow.self, prefix: "", after: nil, limit: 1000)
        func first(_ row: ParkedRow) -> Position {
            row.stream.flatMap { core.tables.get(BlockedStreamRow.self, $0)?.first } ?? row.position
        }
        // Mostly one that does not wait.
        let choice = chance(4) == 0 ? rows : rows.filter { first($0) == $0.position }
        guard !choice.isEmpty else { return nil }
        let row = choice[chance(choice.count)]
        let mustWait = first(row) != row.position
        let isSkipped = chance(4) == 0
        let problem = try core.resolve(
            row.feed, row.position, skippingBecause: isSkipped ? "not ours" : nil, at: now)
        if isSkipped {
            #expect(problem == nil)
        } else if mustWait {
            #expect(problem?.code == "waits")
        } else {
            let entry = Entry(position: row.position, hash: [], bytes: row.bytes)
            #expect((problem == nil) == (Foreign.told(entry) != nil))
        }
        return problem?.code
    }

    /// Checks that the tables and the journal agree, for each stream and in total.
    private func check(_ core: ServiceRuntime<CountingService>, _ account: Account, _ seed: Int) throws {
        let rows = core.tables.scan(ParkedRow.self, prefix: "", after: nil, limit: 1000)
        #expect(Set(rows.map { "\($0.feed) \($0.position)" }) == account.open, "seed \(seed)")
        let held = core.tables.scan(BlockedStreamRow.self, prefix: "", after: nil, limit: 1000)
        let intakes = core.tables.scan(FeedCheckpointRow.self, prefix: "", after: nil, limit: 10)
        #expect(Set(held.map(\.key)) == Set(rows.compactMap(\.stream)))
        #expect(held.allSatisfy { $0.state == .parked }, "every event that can be applied was, in seed \(seed)")
        #expect(intakes.reduce(0) { $0 + $1.parked } == rows.count { $0.behind == nil })
        #expect(intakes.reduce(0) { $0 + $1.waiting } == rows.count { $0.behind != nil })
        #expect(held.reduce(0) { $0 + $1.waiting } == rows.count { $0.behind != nil })
    }

    @Test func `an unreadable event stays parked after a retry, and only parked events can be resolved`() throws {
        let core = try core()
        let other = try Foreign("other/farm-0", at: now, reports: 1) { _ in 1 }
        var entries = other.entries
        entries.append(Entry(position: 3, hash: entries[1].hash, bytes: Array("{\"no\":\"event\"}".utf8)))
        try core.hear(Page(head: other.head, entries: entries), at: now)
        #expect(try core.resolve("other/farm-0", 3, skippingBecause: nil, at: now)?.code == "still-unreadable")
        #expect(try core.resolve("other/farm-0", 2, skippingBecause: nil, at: now)?.code == "not-parked")
        let row = try #require(core.tables.get(ParkedRow.self, ParkedRow.key("other/farm-0", 3)))
        #expect(row.position == 3 && row.feed == "other/farm-0" && row.bytes == entries[2].bytes && row.stream == nil)
        #expect(try core.resolve("other/farm-0", 3, skippingBecause: "garbage", at: now) == nil)
        #expect(core.tables.get(FeedCheckpointRow.self, "other/farm-0")?.parked == 0)
        #expect(try core.resolve("other/farm-0", 3, skippingBecause: "garbage", at: now)?.code == "not-parked")
        _ = try core.commit()
        let last = try #require(try core.log.reader().entries(from: 1, through: core.log.head.position).last)
        guard case .journal(.parkedResolved(let resolved)) = try RecordedEvent(reading: last.bytes).fact else {
            Issue.record("nothing was written down")
            return
        }
        #expect(resolved.outcome == "skipped" && resolved.reason == "garbage")
    }

    @Test func `a feed stops before its 1,001st blocked stream until a parked event is resolved`() throws {
        let core = try core()
        let other = try Foreign("other/farm-0", at: now, streams: 1100)
        func fitting(from first: Int, _ count: Int = 400) throws -> Int {
            let page = Page(head: other.head, entries: Array(other.entries[first..<min(first + count, 2201)]))
            let fits = core.fitting(page)
            try core.hear(fits, at: now)
            _ = try core.commit()
            return fits.entries.count
        }
        var reached = 0
        while case let more = try fitting(from: reached), more > 0 { reached += more }
        // Every stream has two events, the first unreadable; the first entry of all is about the journal itself.
        #expect(reached == 1 + 2000)
        let row = try #require(core.tables.get(FeedCheckpointRow.self, "other/farm-0"))
        #expect(row.parked == HostLimits.parkedStreams && row.waiting == 1000 && row.checkpoint.position == 2001)
        #expect(core.tables.scan(CountRow.self).isEmpty)
        #expect(try core.resolve("other/farm-0", 2, skippingBecause: "broken", at: now) == nil)
        while core.mayRelease { try core.release(at: now) }
        #expect(try fitting(from: reached) == 2, "one more stream is consumed, and the event that waits in it")
        #expect(try fitting(from: reached + 2) == 0)
        #expect(core.tables.scan(CountRow.self).contains { $0.key == "ble:0" && $0.count == 1 })
        #expect(try rebuild(core, ["other/farm-0": other]) == core.tables.digests())
    }
}

/// Totals of all runs.
private struct Tally: CustomStringConvertible {
    var retried = 0
    var skipped = 0
    var released = 0
    var again = 0
    var caught = 0
    var refusals: [String: Int] = [:]

    mutating func add(_ refusal: String?) {
        if let refusal { refusals[refusal, default: 0] += 1 }
    }

    mutating func read(_ account: Account) {
        retried += account.retried
        skipped += account.skipped
        released += account.released
        again += account.again
    }

    var description: String {
        "\(retried) retried, \(skipped) skipped, \(released) released behind them, \(again) of these parked again, "
            + "\(refusals) refused in 40 runs; the mutant was caught in \(caught)"
    }
}
