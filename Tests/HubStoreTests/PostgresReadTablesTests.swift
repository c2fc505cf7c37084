import EventSourcing
import EventStore
import HubStore
import TestKit
import Testing

/// `PostgresReadTables` on the tables that a `PostgresTables` writes.
@Suite("PostgreSQL view tables for reading")
struct PostgresReadTablesTests {
    private let database: HubDatabase
    private let written: PostgresTables
    private let tables: PostgresReadTables

    init() throws {
        database = try HubDatabase()
        written = try PostgresTables(database.conninfo, [CrateRow.schema])
        tables = try PostgresReadTables(database.conninfo, [CrateRow.schema])
    }

    private func write(_ key: String, label: String, at position: Position) throws {
        written.put(CrateRow(key, label: label, grams: nil, warmth: nil, order: key))
        try written.flush(at: position)
    }

    @Test func `a read sees all committed rows and none that is not committed`() throws {
        try write("a", label: "red", at: 1)
        written.put(CrateRow("b", label: "red", grams: nil, warmth: nil, order: "b"))
        #expect(try tables.read { tables.scan(CrateRow.self).map(\.key) } == ["a"])
        #expect(tables.position == 1)
        try written.flush(at: 2)
        #expect(try tables.read { tables.find(CrateRow.self, where: "label", is: "red", limit: 9).count } == 2)
        #expect(tables.position == 2)
    }

    @Test func `a row that was read before is read again once it has changed`() throws {
        for (position, label) in [(1, "red"), (2, "green"), (3, "blue")] {
            try write("a", label: label, at: Position(position))
            let row = CrateRow("a", label: label, grams: nil, warmth: nil, order: "a")
            #expect(try tables.read { tables.get(CrateRow.self, "a") } == row)
        }
    }

    @Test func `a commit during a read does not change what the read sees`() throws {
        try write("a", label: "red", at: 1)
        let seen = try tables.read {
            let before = tables.scan(CrateRow.self).count
            let result = Result { try write("b", label: "red", at: 2) }
            return (before, tables.scan(CrateRow.self).count, result)
        }
        try seen.2.get()
        #expect(seen.0 == 1 && seen.1 == 1)
        #expect(try tables.read { tables.scan(CrateRow.self).count } == 2)
    }

    @Test func `tables for reading refuse changes, and a column without an index`() throws {
        try write("a", label: "red", at: 1)
        let row = CrateRow("b", label: "red", grams: nil, warmth: nil, order: "b")
        #expect(throws: LogFailure.self) { try tables.read { tables.put(row) } }
        #expect(throws: LogFailure.self) { try tables.read { tables.remove(CrateRow.self, "a") } }
        #expect(throws: LogFailure.self) {
            try tables.read { tables.find(CrateRow.self, where: "grams", is: "1", limit: 1) }
        }
        #expect(try tables.read { tables.scan(CrateRow.self).map(\.key) } == ["a"])
    }

    @Test func `tables of another shape are not opened, and a lost connection makes the read fail`() throws {
        let others = [CrateRow.schema, TagRow.schema]
        #expect(throws: LogFailure.self) { try PostgresReadTables(database.conninfo, others) }
        try database.killAll()
        #expect(throws: LogFailure.self) { try tables.read { tables.scan(CrateRow.self).count } }
    }
}
