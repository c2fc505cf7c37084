import EventSourcing
import SQLite
import TestKit
import Testing
import Vocabulary
import Wire

@testable import EventStore

/// Changes with SQL what a store holds beside the bytes of its events: each column that the catalogue lists, in turn.
@Suite("Index verification")
struct IndexTests {
    // MARK: In SQLite

    private static let runs: [ClosedRange<Position>] = [1...60, 61...120]

    /// Returns a journal with two sealed runs (the first one pruned), unsealed entries and stored responses.
    private func sealed(_ path: String) throws -> Sealed {
        let sealed = try Sealed(at: path)
        try sealed.append(0..<180)
        for run in Self.runs {
            try sealed.stage(sealed.make(run))
            try sealed.log.commit()
            while try sealed.log.dropSealed() {}
        }
        try sealed.prune(sealed.pruned(Self.runs[0]))
        for number in 0..<5 {
            let key = IdempotencyKey(actor: "grower:anna", key: "k\(number)", digest: [UInt8(number)])
            let draft = Draft(Noted(number, "asked"), in: "asked/\(number)", by: .service("test"))
            let answer = Response(status: 201, body: Array("{\"number\":\(number)}".utf8))
            _ = try sealed.log.stage(Commit([draft], answer: (key, answer)), at: Sealed.now)
        }
        try sealed.log.commit()
        return sealed
    }

    /// Returns what `indexFlaw` reports for the journal, or the error if it cannot be read; nil if the index is intact.
    private func flaw(_ path: String) -> String? {
        do throws(LogFailure) {
            return try SQLiteReader(path: path).indexFlaw { _ in true }
        } catch {
            return "\(error)"
        }
    }

    private func isChainWhole(_ path: String) -> Bool {
        do {
            _ = try SQLiteReader(path: path).followChain()
            return true
        } catch {
            return false
        }
    }

    /// Returns the first, the middle and the last row. Of the sealed ids, only those count whose events are not pruned:
    /// the index of a pruned event cannot be verified against its bytes.
    private func rows(_ table: String, in database: Database) throws -> [[SQLValue]] {
        let all = try database.query("SELECT * FROM \(table)").filter { row in
            guard table == "sealed", case .integer(let position) = row[1] else { return true }
            return position > 60
        }
        return Array(Set([0, all.count / 2, all.count - 1])).filter(all.indices.contains).sorted().map { all[$0] }
    }

    private func changed(_ value: SQLValue) -> SQLValue {
        switch value {
        case .null: .integer(1)
        case .integer(let number): .integer(number + 1_000_003)
        case .real(let number): .real(number + 1)
        case .text(let text): .text(text + "x")
        case .blob(let bytes): .blob(bytes.isEmpty ? [1] : [bytes[0] ^ 1] + bytes.dropFirst())
        }
    }

    @Test func `index verification detects a change in any column, also where the hash chain does not`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/journal.db"
            try sealed(path).log.close()
            #expect(flaw(path) == nil && isChainWhole(path))
            let database = try Database(path: path, mode: .writer)
            var changes = ColumnChanges()
            for case .text(let table) in try database.query(
                "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
            ).map({ $0[0] }) {
                let columns = try database.query("SELECT name FROM pragma_table_info('\(table)')").map { $0[0] }
                for row in try rows(table, in: database) {
                    for (index, column) in columns.enumerated() {
                        guard case .text(let column) = column else { continue }
                        var altered = row
                        altered[index] = changed(row[index])
                        try replace(row, by: altered, columns, of: table, in: database)
                        changes.record("\(table).\(column)", flaw: flaw(path), isChainWhole: isChainWhole(path))
                        try replace(altered, by: row, columns, of: table, in: database)
                    }
                }
            }
            #expect(flaw(path) == nil && isChainWhole(path))
            print("a journal: \(changes)")
            #expect(changes.missed == [] && changes.reaches(columns: 27))
        }
    }

    private func replace(
        _ row: [SQLValue], by other: [SQLValue], _ columns: [SQLValue], of table: String, in database: Database
    ) throws {
        let names = columns.compactMap { if case .text(let name) = $0 { name } else { nil } }
        _ = try database.query(
            "UPDATE \(table) SET \(names.map { "\($0) = ?" }.joined(separator: ", "))"
                + " WHERE \(names.map { "\($0) IS ?" }.joined(separator: " AND "))", other + row)
        #expect(database.changes == 1)
    }

    @Test(arguments: ["sealed", "stream", "segment", "entry", "meta"])
    func `a deleted row of a journal's tables is detected`(table: String) throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/journal.db"
            try sealed(path).log.close()
            do {
                let database = try Database(path: path, mode: .writer)
                let key = ["sealed": "id", "stream": "id", "segment": "first", "entry": "pos", "meta": "origin"][table]
                _ = try database.query(
                    "DELETE FROM \(table) WHERE \(key ?? "") = (SELECT min(\(key ?? "")) FROM \(table))")
                #expect(database.changes == 1)
            }
            #expect(flaw(path) != nil || !isChainWhole(path))
        }
    }

    @Test func `the version of a stream is verified even if its last events are pruned`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/journal.db"
            let sealed = try Sealed(at: path)
            try sealed.append(0..<59)
            for number in 0..<40 {
                let draft = Draft(Noted(number, "tail"), in: "tail/\(number % 3)", by: .service("test"))
                _ = try sealed.log.stage(Commit([draft]), at: Sealed.now)
            }
            try sealed.log.commit()
            try sealed.stage(sealed.make(1...60))
            try sealed.log.commit()
            while try sealed.log.dropSealed() {}
            try sealed.prune(sealed.pruned(1...60))
            try sealed.log.close()
            let gone = try SQLiteReader(path: path).read(from: 54, events: 7, bytes: .max).filter(\.isPruned)
            #expect(gone.count == 3)
            #expect(flaw(path) == nil)
            let database = try Database(path: path, mode: .writer)
            for change in ["- 1", "+ 1", "+ 9000000000000000000"] {
                // The last event of this stream is its number 58, at position 60.
                try database.execute("UPDATE stream SET version = version \(change) WHERE name = 'note/2'")
                #expect(flaw(path) != nil, "\(change)")
                try database.execute("UPDATE stream SET version = version - (\(change)) WHERE name = 'note/2'")
            }
            #expect(flaw(path) == nil)
        }
    }

    @Test(arguments: [
        "UPDATE answer SET actor = CAST(actor AS BLOB) WHERE key = 'k3'",
        "UPDATE answer SET key = CAST(x'ff' AS TEXT) WHERE key = 'k3'",
        "UPDATE answer SET status = 'x' WHERE key = 'k3'",
        "UPDATE entry SET pos = -4000000000 WHERE pos = (SELECT max(pos) - 1 FROM entry)",
        "INSERT INTO entry SELECT -4000000000, stream, ver, x'00', hash, bytes FROM entry LIMIT 1",
    ])
    func `index verification reports rows with malformed values and impossible positions`(sql: String) throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/journal.db"
            try sealed(path).log.close()
            do {
                let database = try Database(path: path, mode: .writer)
                try database.execute(sql)
                #expect(database.changes == 1)
            }
            #expect(flaw(path) != nil)
        }
    }

    @Test func `index verification succeeds while its journal is written, sealed and pruned`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/journal.db"
            let sealed = try Sealed(at: path)
            try sealed.append(0..<1_500)
            var looks = 0
            let flaw = try SQLiteReader(path: path).indexFlaw { position in
                looks += 1
                if looks == 1 { #expect(throws: Never.self) { try sealed.append(1_500..<1_900) } }
                if looks == 2 { #expect(throws: Never.self) { try sealed.sealAll() } }
                if looks == 3 { #expect(throws: Never.self) { try sealed.prune(sealed.pruned(1...700)) } }
                return position < 10_000
            }
            print("an index verified in \(looks) steps while its journal was written: \(flaw ?? "intact")")
            #expect(flaw == nil && looks >= 4)
            #expect(throws: LogFailure.self) { try SQLiteReader(path: path).indexFlaw { _ in false } }
        }
    }

    @Test func `the stored responses of an older journal get checksums when it is opened`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/journal.db"
            try sealed(path).log.close()
            do {
                let database = try Database(path: path, mode: .writer)
                try database.execute(
                    """
                    ALTER TABLE answer DROP COLUMN sum; DROP INDEX answer_number; ALTER TABLE answer DROP COLUMN number;
                    UPDATE meta SET format = 2; PRAGMA user_version = 2
                    """)
            }
            let log = try SQLiteLog(path: path, feed: Sealed.feed, why: "test", at: Sealed.now)
            let key = IdempotencyKey(actor: "grower:anna", key: "k3", digest: [3])
            #expect(try log.recall(key) == .answered(Response(status: 201, body: Array("{\"number\":3}".utf8))))
            #expect(flaw(path) == nil)
        }
    }

    @Test func `a changed stored response is reported as damaged and not replayed`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/journal.db"
            try sealed(path).log.close()
            do {
                let database = try Database(path: path, mode: .writer)
                try database.execute("UPDATE answer SET body = CAST('{}' AS BLOB) WHERE key = 'k3'")
            }
            let log = try SQLiteLog(path: path, feed: Sealed.feed, why: "test", at: Sealed.now)
            func recalled(_ number: UInt8) throws -> IdempotencyLookup {
                try log.recall(IdempotencyKey(actor: "grower:anna", key: "k\(number)", digest: [number]))
            }
            #expect(try recalled(3) == .damaged)
            #expect(try recalled(2) == .answered(Response(status: 201, body: Array("{\"number\":2}".utf8))))
        }
    }
}
