import EventSourcing
import EventStore
import Events
import Host
import TestKit
import Testing
import Vocabulary

@Suite("Flushing of views")
struct FlushingTests {
    private let now = Instant(microseconds: 1_780_000_000_000_000)

    private func ask(_ id: Int) -> Input {
        .asked(
            Request(
                id: UInt64(id), verb: "count", body: [], actor: .service("test"), key: "k\(id)",
                entropy: Array(repeating: 0, count: 16)))
    }

    private func open(_ folder: String) throws -> ServiceRuntime<CountingService> {
        ServiceRuntime(
            service: CountingService(),
            log: try SQLiteLog(directory: folder, feed: "counting/farm-0", why: "test", at: now),
            tables: try SQLiteTables(path: "\(folder)/views.db", Folding<CountingService>.schemas))
    }

    /// Projects the entries that the views do not contain yet, as a start does.
    private func catchUp(_ runtime: ServiceRuntime<CountingService>) throws {
        for entry in try runtime.log.reader().entries(
            from: runtime.tables.position + 1, through: runtime.log.head.position)
        {
            try runtime.folding.fold(entry) { _, _, _ in [] }
        }
        try runtime.tables.flush(at: runtime.log.head.position)
    }

    @Test func `views that lag behind the journal are rebuilt to the same state after a crash`() throws {
        try withTemporaryDirectory { folder in
            var live: [TableDigest] = []
            do {
                let runtime = try open(folder)
                for id in 0..<30 {
                    try runtime.take(ask(id), at: now)
                    _ = try runtime.commit()
                }
                // The commands are acknowledged and on the disk, but the views are not flushed.
                #expect(try runtime.log.reader().head().position == 31)
                #expect(runtime.tables.position == 0)
                live = try runtime.tables.digests()
            }
            // Nothing was flushed, as after a kill.
            let runtime = try open(folder)
            #expect(runtime.tables.position == 0)
            try catchUp(runtime)
            #expect(try runtime.tables.digests() == live)
            #expect(live.first { $0.table == "count" }?.rows == 1)
        }
    }

    @Test func `a flush moves views to the head of the journal, but never beyond the last commit`() throws {
        try withTemporaryDirectory { folder in
            let runtime = try open(folder)
            try runtime.take(ask(1), at: now)
            try runtime.flush()
            #expect(runtime.tables.position == 0)
            _ = try runtime.commit()
            try runtime.flush()
            #expect(runtime.tables.position == runtime.log.head.position)
        }
    }

    @Test func `views are flushed with every consumed page, which a restart would have to request again`() throws {
        try withTemporaryDirectory { folder in
            let runtime = try open(folder)
            let other = try MemoryLog(feed: "other/farm-0", why: "test", at: now)
            _ = try other.stage(Commit([CountingService.report("ble:07", 1)]), at: now)
            try other.commit()
            let entries = try other.reader().read(from: 1, events: 10, bytes: 100_000)
            try runtime.take(ask(1), at: now)
            try runtime.consume(Page(head: other.head, entries: entries), at: now)
            _ = try runtime.commit()
            #expect(runtime.tables.position == runtime.log.head.position)
        }
    }
}
