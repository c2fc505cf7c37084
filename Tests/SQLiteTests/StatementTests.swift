import CSQLite
import Foundation
import SQLite
import Testing

@Suite("Statements")
struct StatementTests {
    let database: Database

    init() throws { database = try Database(path: "", mode: .memory) }

    static let values: [SQLValue] = [
        nil, 0, 1, -1, .integer(.max), .integer(.min), 0.0, 0.1, -0.0, .real(.infinity), .real(-.infinity),
        .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude), "", "tomato", "Müller \u{1F345}",
        "one\u{0}two", .text(String(repeating: "x", count: 100_000)), .blob([]), .blob([0]), .blob([0, 255, 0]),
        .blob([UInt8](repeating: 200, count: 1 << 20)),
    ]

    @Test func `a statement returns values of every kind`() throws {
        try database.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
        let insert = try database.prepare("INSERT INTO t(a) VALUES (?)")
        for value in Self.values { try insert.run(value) }
        let found = try database.query("SELECT a FROM t ORDER BY id").map { $0[0] }
        #expect(found == Self.values)
        for value in Self.values { #expect(try database.query("SELECT ?1 IS ?1, ?1", [value]).first?.last == value) }
        print("checked \(found.count) values")
        #expect(found.count >= 22)
    }

    @Test func `values are bound and read by their type`() throws {
        let select = try database.prepare("SELECT ?, ?, ?, ?, ?, ?, ?")
        try select.bind(1, Int64.min)
        try select.bind(2, "text")
        try select.bind(3, [1, 2, 3] as [UInt8])
        try select.bind(4, 2.5)
        try select.bind(5, UInt64(Int64.max))
        try select.bindNull(6)
        try select.bind(7, 42)
        #expect(try select.step())
        #expect(select.integer(0) == .min)
        #expect(select.text(1) == "text")
        #expect(select.blob(2) == [1, 2, 3])
        #expect(select.byteCount(2) == 3)
        #expect(select.byteCount(5) == 0)
        #expect(select.real(3) == 2.5)
        #expect(select.integer(4) == .max)
        #expect(select.isNull(5))
        #expect(!select.isNull(0))
        #expect(select.integer(6) == 42)
        #expect(try select.step() == false)
    }

    @Test func `a missing row or column reads as NULL`() throws {
        let select = try database.prepare("SELECT 1 WHERE 0")
        #expect(try select.step() == false)
        for column in [-1, 0, 1, Int.max] {
            #expect(select.value(column) == .null)
            #expect(select.blob(column) == [])
            #expect(select.text(column) == "")
            #expect(select.integer(column) == 0)
        }
    }

    @Test func `values that SQLite would change silently are refused`() throws {
        let select = try database.prepare("SELECT ?")
        #expect(throws: SQLiteError.self) { try select.bind(1, Double.nan) }
        #expect(throws: SQLiteError.self) { try select.bind(1, UInt64(Int64.max) + 1) }
        for index in [0, 2, -1, Int.max] {
            let error = #expect(throws: SQLiteError.self) { try select.bind(index, 1) }
            #expect(error?.code == SQLITE_RANGE)
        }
        #expect(throws: SQLiteError.self) { try select.run() }
        #expect(throws: SQLiteError.self) { try select.run(1, 2) }
        #expect(throws: SQLiteError.self) { try database.query("SELECT ?") }
    }

    @Test func `resetting a statement clears its bound values`() throws {
        let select = try database.prepare("SELECT ?")
        try select.bind(1, 7)
        #expect(try select.step())
        select.reset()
        #expect(try select.step())
        #expect(select.isNull(0))
    }

    @Test func `a text must contain exactly one statement`() throws {
        for sql in ["", "  ;", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1; x"] {
            #expect(throws: SQLiteError.self, "\(sql)") { try database.prepare(sql) }
        }
        for sql in ["SELECT 1;", "SELECT 1 ; \n\t"] { #expect(try database.query(sql) == [[1]]) }
        let error = #expect(throws: SQLiteError.self) { try database.prepare("SELEC 1") }
        #expect(error?.code == SQLITE_ERROR)
        #expect(error?.operation == "prepare")
    }

    @Test func `an error names the violated constraint and never the value`() throws {
        try database.execute(
            """
            CREATE TABLE plot(id TEXT PRIMARY KEY) STRICT;
            CREATE TABLE lot(
                id INTEGER PRIMARY KEY, name TEXT UNIQUE, plot TEXT REFERENCES plot, kilos REAL NOT NULL,
                CHECK (kilos > 0)
            ) STRICT;
            """)
        let insert = try database.prepare("INSERT INTO lot VALUES (?, ?, ?, ?)")
        try insert.run(1, "canary", nil, 5.0)
        let broken: [(code: Int32, [SQLValue])] = [
            (SQLITE_CONSTRAINT | (8 << 8), [2, "canary", nil, 5.0]),  // unique
            (SQLITE_CONSTRAINT | (6 << 8), [1, "canary two", nil, 5.0]),  // primary key
            (SQLITE_CONSTRAINT | (3 << 8), [3, "canary three", "canary", 5.0]),  // foreign key
            (SQLITE_CONSTRAINT | (5 << 8), [4, "canary four", nil, nil]),  // not null
            (SQLITE_CONSTRAINT | (1 << 8), [5, "canary five", nil, -1.0]),  // check
            (SQLITE_CONSTRAINT | (12 << 8), [6, .blob(Array("canary".utf8)), nil, 1.0]),  // datatype
        ]
        for (code, values) in broken {
            let error = #expect(throws: SQLiteError.self) { try insert.run(values[0], values[1], values[2], values[3]) }
            #expect(error?.code == code)
            #expect(error?.isConstraint == true)
            #expect(!"\(String(describing: error))".contains("canary"))
        }
        #expect(try database.query("SELECT count(*) FROM lot") == [[1]])
        try insert.run(7, "after", nil, 1.0)
    }

    @Test func `a statement keeps its database open`() throws {
        var own: Database? = try Database(path: "", mode: .memory)
        try own?.execute("CREATE TABLE t(a)")
        let insert = try #require(try own?.prepare("INSERT INTO t VALUES (?) RETURNING a"))
        own = nil
        try insert.bind(1, 5)
        #expect(try insert.step())
        #expect(insert.integer(0) == 5)
    }
}
