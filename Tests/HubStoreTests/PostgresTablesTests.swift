import EventSourcing
import EventStore
import HubStore
import Postgres
import TestKit
import Testing

@Suite("PostgreSQL view tables")
struct PostgresTablesTests {
    @Test(arguments: TablesContract.checks)
    func `PostgreSQL view tables satisfy the contract`(check: TablesContract.Check) async throws {
        var database = try HubDatabase()
        let harness = TablesHarness(
            create: { schemas in
                database = try HubDatabase()
                return try PostgresTables(database.conninfo, schemas)
            },
            reopen: { _, schemas in
                try database.killAll()
                return try PostgresTables(database.conninfo, schemas)
            })
        try await check.run(harness)
    }

    @Test func `PostgreSQL and in-memory view tables have the same digests`() throws {
        let memory = try MemoryTables(Self.schemas)
        let stored = try HubDatabase().open().tables(Self.schemas)
        for store in [memory, stored] as [any TableStore] {
            for number in 0..<5_000 { store.put(Self.row(number)) }
            for number in stride(from: 0, to: 5_000, by: 3) { store.remove(CrateRow.self, Self.key(number)) }
            // PostgreSQL stores no NUL in a text; keys with NUL and U+0001 must still be in byte order.
            for key in ["n", "n\u{0}", "n\u{0}a", "n\u{1}", "n\u{1}\u{0}", "n\u{2}", "no", "{\"\\,}", "NULL"] {
                store.put(CrateRow(key, label: key, grams: nil, warmth: nil, order: key + key))
            }
        }
        #expect(try stored.digests() == memory.digests())
        try stored.flush(at: 1)
        #expect(try stored.digests() == memory.digests())
        let keys = memory.scan(CrateRow.self, prefix: "n", limit: 100).map(\.key)
        #expect(stored.scan(CrateRow.self, prefix: "n", limit: 100).map(\.key) == keys && keys.count == 7)
        #expect(stored.scan(CrateRow.self, prefix: "n\u{0}", limit: 100).map(\.key) == ["n\u{0}", "n\u{0}a"])
        #expect(stored.find(CrateRow.self, where: "label", is: "n\u{1}", limit: 9).map(\.key) == ["n\u{1}"])
        #expect(try stored.digests().map(\.rows) == memory.digests().map(\.rows))
    }

    @Test func `view tables are committed together with the log, at its position`() throws {
        let database = try HubDatabase()
        var log = try database.open()
        var tables = try log.tables(Self.schemas)
        #expect(tables.position == 0)
        try tables.flush(at: log.head.position)
        for number in 1...50 {
            _ = try log.stage(
                Commit([Draft(Noted(number), in: "note/a", by: .service("test"))]), at: HubDatabase.clock)
            tables.put(Self.row(number))
            if number % 4 == 0 { _ = tables.scan(CrateRow.self, limit: 1) }
            guard number % 10 == 0 else { continue }
            try log.commit()
            #expect(tables.position == log.head.position)
            // The flush that a service makes after every commit has nothing to write.
            try tables.flush(at: log.head.position)
        }
        let digests = try tables.digests()
        // After a crash, neither the event nor the row of an uncommitted change exists.
        _ = try log.stage(Commit([Draft(Noted(51), in: "note/a", by: .service("test"))]), at: HubDatabase.clock)
        tables.put(Self.row(51))
        _ = tables.scan(CrateRow.self, limit: 1)
        log = try database.crash()
        tables = try log.tables(Self.schemas)
        #expect(log.head.position == 51 && tables.position == 51)
        #expect(try tables.digests() == digests)
    }

    @Test func `the position of view tables does not skip events that were not projected`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let tables = try log.tables(Self.schemas)
        _ = try log.stage(Commit([Draft(Noted(1), in: "note/a", by: .service("test"))]), at: HubDatabase.clock)
        try log.commit()
        #expect(tables.position == 0)
        try tables.flush(at: 1)
        try tables.flush(at: 2)
        try log.beginEpoch(why: "restored", at: HubDatabase.clock)
        #expect(tables.position == 3)
    }

    @Test func `view tables refuse to flush while the log has an open transaction`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let tables = try log.tables(Self.schemas)
        try tables.flush(at: 1)
        let barn = try ForeignJournal("sensor-ingest/barn-0", events: 200, size: 60_000)
        for start in stride(from: Position(1), through: 201, by: 40) {
            try log.take(barn.page(from: start, events: 40))
        }
        tables.put(Self.row(1))
        #expect(throws: LogFailure.self) { try tables.flush(at: 1) }
        #expect(throws: LogFailure.self) { try tables.wipe() }
        try log.commit()
        #expect(try tables.digests().map(\.rows) == [1, 0])
    }

    @Test func `the digests include tables that are in the database but not declared`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let tables = try log.tables(Self.schemas)
        for number in 1...10 { tables.put(Self.row(number)) }
        try tables.flush(at: 1)
        let before = try tables.digests()
        let other = try database.connect()
        try other.execute("UPDATE views.crate SET grams = grams + 1 WHERE key = '\(Self.key(4))'")
        #expect(try tables.digests() != before)
        try other.execute("UPDATE views.crate SET grams = grams - 1 WHERE key = '\(Self.key(4))'")
        #expect(try tables.digests() == before)
        try other.execute(
            "CREATE TABLE views.stray(a int, b bool); INSERT INTO views.stray VALUES (1, true), (2, null)")
        let with = try tables.digests()
        #expect(with.map(\.table) == ["crate", "stray", "tag"] && with[1].rows == 2)
        // A wipe also drops tables that are not declared.
        try tables.wipe()
        #expect(try tables.digests().map(\.table) == ["crate", "tag"])
    }

    @Test func `view tables read rows that are not cached`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let tables = try log.tables(Self.schemas)
        for number in 0..<20_000 { tables.put(Self.row(number)) }
        try tables.flush(at: 1)
        for number in stride(from: 0, to: 20_000, by: 37) {
            #expect(tables.get(CrateRow.self, Self.key(number)) == Self.row(number))
        }
        #expect(tables.get(CrateRow.self, "none") == nil)
        #expect(try tables.digests().first?.rows == 20_000)
    }

    @Test func `view tables store and find texts that are too long for an index`() throws {
        let tables = try HubDatabase().open().tables(Self.schemas)
        let long = String(repeating: "\u{1F345}", count: 20_000)
        tables.put(CrateRow("a", label: long, grams: nil, warmth: nil, order: nil))
        tables.put(CrateRow("b", label: long + "x", grams: nil, warmth: nil, order: nil))
        try tables.flush(at: 1)
        #expect(tables.find(CrateRow.self, where: "label", is: long, limit: 9).map(\.key) == ["a"])
    }

    static let schemas = [CrateRow.schema, TagRow.schema]

    static func key(_ number: Int) -> String { "crate/\(number % 7)/\(number)" }

    static func row(_ number: Int) -> CrateRow {
        CrateRow(
            key(number), label: number % 5 == 0 ? nil : "label \(number % 11)", grams: Int64(number),
            warmth: Double(number) / 7, order: "o\(number % 13)", note: "a \"note\", \\ {\(number)}")
    }
}
