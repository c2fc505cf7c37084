import EventSourcing
import Foundation
import SQLite
import System
import TestKit
import Testing

@testable import EventStore

@Suite("SQLite view tables")
struct ViewFileTests {
    private func crate(_ number: Int) -> CrateRow {
        CrateRow("k\(number)", label: "l\(number % 5)", grams: Int64(number), warmth: 0.5, order: nil)
    }

    @Test func `the digest of a table matches one computed outside Furrow`() throws {
        let tables = try MemoryTables([CrateRow.schema, TagRow.schema])
        tables.put(CrateRow("a", label: "ü", grams: -2, warmth: -0.5, order: nil))
        tables.put(CrateRow("b", label: "", grams: nil, warmth: nil, order: nil))
        // Computed with Python's struct and hashlib from the words that `RowDigest` documents.
        #expect(
            try tables.digests() == [
                TableDigest(
                    table: "crate", rows: 2,
                    digest: "584e5ef74743862e23903cb69dae60ef66eb1064d6c73fd4639d99bc83138286"),
                TableDigest(
                    table: "tag", rows: 0,
                    digest: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ])
    }

    @Test func `the digests show a value changed by SQL and a table added by SQL`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/views.db"
            var tables: SQLiteTables? = try SQLiteTables(path: path, [CrateRow.schema, TagRow.schema])
            for number in 0..<20 { tables?.put(crate(number)) }
            try tables?.flush(at: 3)
            let before = try tables?.digests()
            try tables?.close()
            tables = nil
            for (sql, changed) in [
                ("UPDATE crate SET warmth = 0.25 WHERE key = 'k7'", 1),
                ("INSERT INTO tag VALUES('x')", 2),
                ("DELETE FROM crate WHERE key = 'k3'", 2),
            ] {
                let database = try Database(path: path, mode: .writer)
                try database.execute(sql)
                _ = changed
            }
            tables = try SQLiteTables(path: path, [CrateRow.schema, TagRow.schema])
            let after = try tables?.digests()
            #expect(after?.map(\.table) == before?.map(\.table))
            #expect(after?[0] != before?[0])
            #expect(after?[1] != before?[1])
            try tables?.close()
            tables = nil
            do {
                let database = try Database(path: path, mode: .writer)
                try database.execute("CREATE TABLE added(key TEXT, x); INSERT INTO added VALUES('a', 1)")
            }
            tables = try SQLiteTables(path: path, [CrateRow.schema, TagRow.schema])
            #expect(try tables?.digests().map(\.table) == ["added", "crate", "tag"])
        }
    }

    @Test func `view tables in a nameless file have the same digests and leave no file in the folder`() throws {
        try withTemporaryDirectory { folder in
            let schemas = [CrateRow.schema, TagRow.schema]
            let tables = try SQLiteTables(namelessIn: folder, schemas)
            let memory = try MemoryTables(schemas)
            // More rows than are cached in memory, and more than a WAL holds before its checkpoint.
            for round in 0..<4 {
                for number in 0..<12_000 {
                    tables.put(crate(number * 4 + round))
                    memory.put(crate(number * 4 + round))
                }
                try tables.flush(at: Position(round + 1))
                #expect(try System.Directory.list(folder) == [])
            }
            #expect(try tables.digests() == memory.digests())
        }
    }

    @Test func `view tables start empty if their file is damaged`() throws {
        try withTemporaryDirectory { folder in
            var renewed = 0
            for place in [0, 100, 4_096, 9_000, 40_000, 100_000] {
                let path = "\(folder)/views\(place).db"
                var tables: SQLiteTables? = try SQLiteTables(path: path, [CrateRow.schema, TagRow.schema])
                for number in 0..<3_000 { tables?.put(crate(number)) }
                try tables?.flush(at: 3)
                let digests = try tables?.digests()
                try tables?.close()
                tables = nil
                // The database is not closed: only then does opening it check the whole file.
                let opened = try SQLiteTables(path: path, [CrateRow.schema, TagRow.schema])
                #expect(!opened.isRenewed && opened.position == 3)
                let torn = "\(folder)/torn\(place).db"
                try copyDatabase(path, to: torn)
                let file = try FileHandle(forUpdating: URL(fileURLWithPath: torn))
                try file.seek(toOffset: UInt64(place))
                try file.write(contentsOf: Data(repeating: 0xA5, count: 600))
                try file.close()
                let again = try SQLiteTables(path: torn, [CrateRow.schema, TagRow.schema])
                if again.isRenewed {
                    renewed += 1
                    #expect(again.position == 0)
                    #expect(again.scan(CrateRow.self).isEmpty)
                } else {
                    #expect(try again.digests() == digests)
                }
                again.put(crate(1))
                try again.flush(at: 1)
            }
            // In the other files unused bytes were overwritten, as their equal digests show.
            print("checked 6 damaged files, \(renewed) were noticed")
            #expect(renewed >= 4)
        }
    }

    @Test func `view tables store texts with zero bytes and every NaN bit for bit`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/views.db"
            let schemas = [CrateRow.schema]
            var tables: SQLiteTables? = try SQLiteTables(path: path, schemas)
            let memory = try MemoryTables(schemas)
            let odd = [Double(bitPattern: 0x7FF8_0000_0000_0001), Double(bitPattern: 0xFFF8_0000_0000_0000), .nan]
            for (number, value) in odd.enumerated() {
                let row = CrateRow("\(number)", label: "a\u{0}b\u{0}", grams: 0, warmth: value, order: nil)
                tables?.put(row)
                memory.put(row)
            }
            try tables?.flush(at: 1)
            tables = nil
            tables = try SQLiteTables(path: path, schemas)
            #expect(try tables?.digests() == memory.digests())
            for (number, value) in odd.enumerated() {
                guard case .real(let found)? = tables?.get(CrateRow.self, "\(number)")?.cells[2] else {
                    Issue.record("no number")
                    continue
                }
                #expect(found.bitPattern == value.bitPattern)
            }
        }
    }

    @Test(arguments: [
        [TableSchema("view_position", [])], [TableSchema("sqlite_x", [])], [TableSchema("Crate", [])],
        [TableSchema("a;b", [])], [TableSchema("", [])], [TableSchema("a", [("key", .text)])],
        [TableSchema("a", [("x", .text), ("x", .text)])], [TableSchema("a", []), TableSchema("a", [])],
        [TableSchema("a", [("x", .integer)], indexed: ["x"])], [TableSchema("a", [], indexed: ["x"])],
    ])
    func `an invalid table schema is refused`(schemas: [TableSchema]) {
        #expect(throws: LogFailure.self) { _ = try MemoryTables(schemas) }
    }
}

@Suite("Sorted keys")
struct SortedKeysTests {
    @Test func `sorted keys are a set in byte order`() {
        var random = SplitMix64(seed: 3)
        var keys = SortedKeys()
        var model: Set<String> = []
        for _ in 0..<20_000 {
            let key = String(Int.random(in: 0..<6_000, using: &random), radix: 36)
            if Int.random(in: 0..<3, using: &random) == 0 {
                keys.remove(BinaryString(key))
                model.remove(key)
            } else {
                keys.insert(BinaryString(key))
                model.insert(key)
            }
        }
        let sorted = model.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(keys.keys(from: BinaryString(""), limit: .max) { _ in true }.map(\.text) == sorted)
        for from in sorted.prefix(50) + ["", "z", "zzzz", "5"] {
            let found = keys.keys(from: BinaryString(from), limit: 7) { _ in true }.map(\.text)
            #expect(found == Array(sorted.drop { $0.utf8.lexicographicallyPrecedes(from.utf8) }.prefix(7)))
        }
        for key in sorted { keys.remove(BinaryString(key)) }
        #expect(keys.isEmpty)
    }

    @Test func `sorted keys distinguish canonically equivalent texts`() {
        #expect(BinaryString("\u{E9}") != BinaryString("e\u{301}"))
        #expect(BinaryString("q\u{307}\u{323}") != BinaryString("q\u{323}\u{307}"))
        #expect(Set(["\u{E9}", "e\u{301}", "\u{E9}"].map { BinaryString($0) }).count == 2)
        #expect(BinaryString("\u{FFFF}") < BinaryString("\u{1F345}"))
        #expect(BinaryString("a") < BinaryString("a\u{0}"))
    }

    @Test func `a generational cache stays within its limit and evicts unused entries`() {
        var cache = GenerationalCache<Int, Int>(limit: 100)
        for number in 0..<10_000 {
            cache.insert(number, for: number)
            // An entry that is used again and again stays in the cache.
            #expect(cache[0] == 0)
            #expect(cache.count <= 101)
        }
        #expect(cache[9_999] == 9_999)
        #expect(cache[5_000] == nil)
        cache.insert(-1, for: 0)
        #expect(cache[0] == -1)
        cache.remove(0)
        #expect(cache[0] == nil)
    }

    @Test func `a generational cache with heavy entries holds fewer of them`() {
        var cache = GenerationalCache<Int, Int>(limit: 100) { $0 }
        for number in 0..<1000 { cache.insert(10, for: number) }
        #expect((5...10).contains(cache.count))
        // An entry whose weight grows counts once, with its current weight.
        var growing = GenerationalCache<Int, Int>(limit: 100) { $0 }
        growing.insert(5, for: 0)
        for weight in 1...20 { growing.insert(weight, for: 1) }
        #expect(growing.count == 2)
    }
}
