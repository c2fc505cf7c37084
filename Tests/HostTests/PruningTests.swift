import EventSourcing
import EventStore
import Events
import HubStore
import Testing
import Vocabulary
import Wire

@testable import Host

/// The runtime of a hub prunes a mirror as its origin's own events record it, and no other journal.
@Suite("Pruning of a mirrored journal")
struct PruningTests {
    private let now = Instant(microseconds: 1_780_000_000_000_000)
    private static let feed = "sensor-ingest/farm-0"

    /// Returns the positions that a hub prunes of a journal of ten events that records `pruned`.
    private func pruneMirror(_ pruned: JournalPruned, toldBy feed: String = feed, times: Int = 1) throws -> [Position] {
        let hub = try MemoryHub(feed: "trace-ledger/farm-0", why: "test", at: now)
        let runtime = ServiceRuntime(
            service: CountingService(), log: hub, tables: try MemoryTables(Folding<CountingService>.schemas))
        let logs = try [Self.feed, "sensor-ingest/farm-1"].map { try MemoryLog(feed: $0, why: "test", at: now) }
        for log in logs {
            for number in 1..<10 {
                _ = try log.stage(Commit([CountingService.report("ble:0\(number % 3)", number)]), at: now)
            }
            if log.head.feed == feed {
                _ = try log.stage(Commit([Draft(pruned, in: "journal", by: .service("test"))]), at: now)
            }
            try log.commit()
            let page = Page(head: log.head, entries: try log.reader().read(from: 1, events: 100, bytes: .max))
            for _ in 0..<times {
                try hub.take(page)
                runtime.markStaged()
                try runtime.consume(page, at: now)
                _ = try runtime.commit()
            }
        }
        for log in logs where log.head.feed != feed {
            let copy = try hub.originReader(log.head.feed).read(from: 1, events: 100, bytes: .max)
            #expect(copy.count == 10 && copy.allSatisfy { !$0.isPruned })
        }
        return try hub.originReader(feed).read(from: 1, events: 100, bytes: .max).filter(\.isPruned).map(\.position)
    }

    @Test func `a mirror prunes the positions that its origin has pruned`() throws {
        let pruned = JournalPruned(first: 2, last: 9, positions: [3, 4, 8])
        #expect(try pruneMirror(pruned) == [3, 4, 8])
        #expect(try pruneMirror(pruned, times: 3) == [3, 4, 8])
        #expect(try pruneMirror(pruned, toldBy: "sensor-ingest/farm-1") == [3, 4, 8])
        #expect(try pruneMirror(JournalPruned(first: 2, last: 9)).isEmpty)
    }

    @Test func `a mirror prunes no position after the event that records the pruning`() throws {
        #expect(try pruneMirror(JournalPruned(first: 9, last: 16, positions: [10, 11, 12])) == [10])
    }
}
