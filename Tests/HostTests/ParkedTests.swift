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

    private func runtime() throws -> ServiceRuntime<CountingService> {
        ServiceRuntime(
            service: CountingService(), log: try MemoryLog(feed: "counting/farm-0", why: "test", at: now),
            tables: try MemoryTables(Folding<CountingService>.schemas))
    }

    private func rebuild(
        _ runtime: ServiceRuntime<CountingService>, _ others: [String: Foreign], asTold: Bool = false
    ) throws -> [TableDigest] {
        let tables = try MemoryTables(Folding<CountingService>.schemas)
        let folding = Folding<CountingService>(of: "counting/farm-0", into: tables)
        for entry in try runtime.log.reader().entries(from: 1, through: runtime.log.head.position) {
            let recorded = try RecordedEvent(reading: entry.bytes)
            if asTold, case .journal(.feedConsumed(var checkpointEvent)) = recorded.fact {
                // The mutant: projects waiting events at their checkpoint event, as if nothing before them were parked.
                let after = folding.checkpoint(of: checkpointEvent.feed)
                let entries = others[checkpointEvent.feed]?.entries(after: after, through: checkpointEvent.last) ?? []
                checkpointEvent.parked.removeAll { $0.behind != nil }
                let left = Set(checkpointEvent.parked.map(\.position))
                let news = entries.filter { !left.contains($0.position) }.compactMap(Foreign.recorded)
                folding.fold(foreign: news.filter(folding.isProjected), parking: entries, naming: checkpointEvent)
                continue
            }
            try folding.fold(entry) { others[$0]?.entries(after: $1, through: $2) ?? [] }
        }
        try tables.flush(at: runtime.log.head.position)
        return try tables.digests()
    }

    @Test func `a parked event blocks its stream, and a rebuild applies what waited in the same order as the live run`()
        throws
    {
        var sum = Tally()
        for seed in 1...40 {
            let runtime = try runtime()
            var chance = SeededNumbers(seed)
            var others: [String: Foreign] = [:]
            for slot in 0..<2 {
                let feed = "other/farm-\(slot)"
                others[feed] = try Foreign(feed, at: now, reports: 60) { chance($0) }
            }
            var heard: [String: Position] = [:]
            for turn in 0..<80 {
                if chance(3) == 0 { sum.add(try decide(runtime, &chance)) }
                if chance(3) == 0 { try runtime.release(at: now) }
                let feed = "other/farm-\(chance(2))"
                guard let other = others[feed] else { continue }
                let entries = other.entries.dropFirst(Int(heard[feed] ?? 0)).prefix(1 + chance(9))
                // The first entry of a journal is about the journal itself and is not projected.
                let doubted = chance(2) == 0 ? entries.first { $0.position > 1 }?.position : nil
                try runtime.consume(
                    Page(head: other.head, entries: Array(entries)), at: now,
                    parkingWhere: { $0.position == doubted ? "it is not understood yet" : nil })
                heard[feed] = entries.last?.position ?? heard[feed]
                if turn.isMultiple(of: 4) { _ = try runtime.commit() }
            }
            _ = try runtime.commit()
            #expect(try rebuild(runtime, others) == runtime.tables.digests(), "seed \(seed), before the release")
            while runtime.mayHaveReleasable { try runtime.release(at: now) }
            _ = try runtime.commit()
            let live = try runtime.tables.digests()
            #expect(try rebuild(runtime, others) == live, "seed \(seed)")
            if try rebuild(runtime, others, asTold: true) != live { sum.caught += 1 }
            let account = try Account(of: runtime, others)
            #expect(account.overtaken.isEmpty, "seed \(seed)")
            sum.read(account)
            try check(runtime, account, seed)
        }
        print("parked: \(sum)")
        #expect(sum.retried > 100 && sum.skipped > 50 && sum.released > 200 && sum.again > 30 && sum.caught > 30)
    }

    /// Retries or skips a random parked event; it may be one that waits for another.
    private func decide(_ runtime: ServiceRuntime<CountingService>, _ chance: inout SeededNumbers) throws -> String? {
        let rows = runtime.tables.scan(ParkedRow.self, prefix: "", after: nil, limit: 1000)
        func first(_ row: ParkedRow) -> Position {
            row.stream.flatMap { runtime.tables.get(BlockedStreamRow.self, $0)?.first } ?? row.position
        }
        // Mostly one that does not wait.
        let choice = chance(4) == 0 ? rows : rows.filter { first($0) == $0.position }
        guard !choice.isEmpty else { return nil }
        let row = choice[chance(choice.count)]
        let mustWait = first(row) != row.position
        let isSkipped = chance(4) == 0
        let problem = try runtime.resolve(
            row.feed, row.position, skippingBecause: isSkipped ? "not ours" : nil, at: now)
        if isSkipped {
            #expect(problem == nil)
        } else if mustWait {
            #expect(problem?.code == "waits")
        } else {
            let entry = Entry(position: row.position, hash: [], bytes: row.bytes)
            #expect((problem == nil) == (Foreign.recorded(entry) != nil))
        }
        return problem?.code
    }

    /// Checks that the tables and the journal agree, for each stream and in total.
    private func check(_ runtime: ServiceRuntime<CountingService>, _ account: Account, _ seed: Int) throws {
        let rows = runtime.tables.scan(ParkedRow.self, prefix: "", after: nil, limit: 1000)
        #expect(Set(rows.map { "\($0.feed) \($0.position)" }) == account.open, "seed \(seed)")
        let blocked = runtime.tables.scan(BlockedStreamRow.self, prefix: "", after: nil, limit: 1000)
        let checkpointEvents = runtime.tables.scan(FeedCheckpointRow.self, prefix: "", after: nil, limit: 10)
        #expect(Set(blocked.map(\.key)) == Set(rows.compactMap(\.stream)))
        #expect(blocked.allSatisfy { $0.state == .parked }, "every event that can be applied was, in seed \(seed)")
        #expect(checkpointEvents.reduce(0) { $0 + $1.parked } == rows.count { $0.behind == nil })
        #expect(checkpointEvents.reduce(0) { $0 + $1.waiting } == rows.count { $0.behind != nil })
        #expect(blocked.reduce(0) { $0 + $1.waiting } == rows.count { $0.behind != nil })
    }

    @Test func `an unreadable event stays parked after a retry, and only parked events can be resolved`() throws {
        let runtime = try runtime()
        let other = try Foreign("other/farm-0", at: now, reports: 1) { _ in 1 }
        var entries = other.entries
        entries.append(Entry(position: 3, hash: entries[1].hash, bytes: Array("{\"no\":\"event\"}".utf8)))
        try runtime.consume(Page(head: other.head, entries: entries), at: now)
        #expect(try runtime.resolve("other/farm-0", 3, skippingBecause: nil, at: now)?.code == "still-unreadable")
        #expect(try runtime.resolve("other/farm-0", 2, skippingBecause: nil, at: now)?.code == "not-parked")
        let row = try #require(runtime.tables.get(ParkedRow.self, ParkedRow.key("other/farm-0", 3)))
        #expect(row.position == 3 && row.feed == "other/farm-0" && row.bytes == entries[2].bytes && row.stream == nil)
        #expect(try runtime.resolve("other/farm-0", 3, skippingBecause: "garbage", at: now) == nil)
        #expect(runtime.tables.get(FeedCheckpointRow.self, "other/farm-0")?.parked == 0)
        #expect(try runtime.resolve("other/farm-0", 3, skippingBecause: "garbage", at: now)?.code == "not-parked")
        _ = try runtime.commit()
        let last = try #require(try runtime.log.reader().entries(from: 1, through: runtime.log.head.position).last)
        guard case .journal(.parkedResolved(let resolved)) = try RecordedEvent(reading: last.bytes).fact else {
            Issue.record("nothing was written down")
            return
        }
        #expect(resolved.outcome == "skipped" && resolved.reason == "garbage")
    }

    @Test func `a feed stops before its 1,001st blocked stream until a parked event is resolved`() throws {
        let runtime = try runtime()
        let other = try Foreign("other/farm-0", at: now, streams: 1100)
        func fittingPart(from first: Int, _ count: Int = 400) throws -> Int {
            let page = Page(head: other.head, entries: Array(other.entries[first..<min(first + count, 2201)]))
            let fits = runtime.fittingPart(page)
            try runtime.consume(fits, at: now)
            _ = try runtime.commit()
            return fits.entries.count
        }
        var reached = 0
        while case let more = try fittingPart(from: reached), more > 0 { reached += more }
        // Every stream has two events, the first unreadable; the first entry of all is about the journal itself.
        #expect(reached == 1 + 2000)
        let row = try #require(runtime.tables.get(FeedCheckpointRow.self, "other/farm-0"))
        #expect(row.parked == HostLimits.parkedStreams && row.waiting == 1000 && row.checkpoint.position == 2001)
        #expect(runtime.tables.scan(CountRow.self).isEmpty)
        #expect(try runtime.resolve("other/farm-0", 2, skippingBecause: "broken", at: now) == nil)
        while runtime.mayHaveReleasable { try runtime.release(at: now) }
        #expect(try fittingPart(from: reached) == 2, "one more stream is consumed, and the event that waits in it")
        #expect(try fittingPart(from: reached + 2) == 0)
        #expect(runtime.tables.scan(CountRow.self).contains { $0.key == "ble:0" && $0.count == 1 })
        #expect(try rebuild(runtime, ["other/farm-0": other]) == runtime.tables.digests())
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
