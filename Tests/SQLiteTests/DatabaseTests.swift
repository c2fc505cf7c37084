import CSQLite
import Foundation
import SQLite
import Testing

@Suite("Databases")
struct DatabaseTests {
    let folder: Folder
    let path: String

    init() throws {
        folder = try Folder()
        path = folder.file("journal.sqlite")
    }

    static let expected: [(Database.Mode, [String: SQLValue])] = [
        (
            .writer,
            [
                "journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "wal_autocheckpoint": 0, "mmap_size": 0,
                "cache_size": -2000, "busy_timeout": 2000, "trusted_schema": 0, "cell_size_check": 1,
            ]
        ),
        (
            .scratch,
            [
                "journal_mode": "wal", "synchronous": 0, "foreign_keys": 1, "wal_autocheckpoint": 1000,
                "mmap_size": 0, "cache_size": -2000, "busy_timeout": 2000, "trusted_schema": 0,
            ]
        ),
        (
            .cache,
            [
                "journal_mode": "wal", "synchronous": 1, "foreign_keys": 1, "wal_autocheckpoint": 0, "mmap_size": 0,
                "cache_size": -2000, "busy_timeout": 2000, "trusted_schema": 0,
            ]
        ),
        (
            .reader,
            [
                "journal_mode": "wal", "query_only": 1, "wal_autocheckpoint": 0, "mmap_size": 0, "cache_size": -2000,
                "busy_timeout": 2000, "trusted_schema": 0,
            ]
        ),
        (.memory, ["journal_mode": "memory", "foreign_keys": 1, "cache_size": -2000, "trusted_schema": 0]),
    ]

    @Test func `a database has the settings of its mode`() throws {
        var count = 0
        for (mode, pragmas) in Self.expected {
            if mode == .reader { _ = try Database(path: path, mode: .writer) }
            let database = try Database(
                path: mode == .scratch || mode == .cache ? folder.file("\(mode).sqlite") : path, mode: mode)
            for (name, value) in pragmas {
                #expect(try database.query("PRAGMA \(name)") == [[value]], "\(mode) \(name)")
                count += 1
            }
        }
        print("checked \(count) settings")
        #expect(count >= 28)
    }

    @Test func `SQL cannot disable the protection of the file`() throws {
        let database = try Database(path: path, mode: .writer)
        try database.execute("CREATE TABLE t(a)")
        #expect(throws: SQLiteError.self) {
            try database.execute("PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql='nonsense'")
        }
        #expect(throws: SQLiteError.self) { try database.execute("SELECT \"no such column\" FROM t") }
        #expect(try database.quickCheck() == [])
    }

    @Test func `a database file is readable to its owner only`() throws {
        let database = try Database(path: path, mode: .writer)
        try database.execute("CREATE TABLE t(a)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files == ["", "-shm", "-wal", "-writer"].map { "journal.sqlite\($0)" })
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(file))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
        }
    }

    @Test func `a database has one writer at a time`() throws {
        var first: Database? = try Database(path: path, mode: .writer)
        try first?.execute("CREATE TABLE t(a)")
        for mode in [Database.Mode.writer, .scratch] {
            let error = #expect(throws: SQLiteError.self) { try Database(path: path, mode: mode) }
            #expect(error?.isBusy == true)
        }
        // The state of a child that another thread is forking at this moment.
        let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            .filter {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path + "-writer"
            }
            .map { dup($0) }
        defer { for copy in copies { close(copy) } }
        #expect(copies.count == 1)
        first = nil
        let second = try Database(path: path, mode: .writer)
        #expect(try second.query("SELECT count(*) FROM t") == [[0]])
    }

    @Test func `a path that is no file, or a missing file, is refused`() throws {
        try FileManager.default.createDirectory(atPath: folder.file("inner"), withIntermediateDirectories: false)
        for odd in ["", ":memory:", "file:x?mode=memory", folder.file("no/such/folder.sqlite"), folder.file("inner")] {
            let error = #expect(throws: SQLiteError.self) { try Database(path: odd, mode: .writer) }
            #expect((error?.code ?? 0) & 0xff == SQLITE_CANTOPEN, "\(odd)")
        }
        let error = #expect(throws: SQLiteError.self) { try Database(path: path, mode: .reader) }
        #expect((error?.code ?? 0) & 0xff == SQLITE_CANTOPEN)
        #expect(FileManager.default.fileExists(atPath: path) == false)
    }

    @Test func `a file that cannot be in WAL mode is not opened for writing`() throws {
        // A shared-memory index cannot be created if its name is a folder, and without one SQLite has no WAL.
        try FileManager.default.createDirectory(atPath: path + "-shm", withIntermediateDirectories: false)
        #expect(throws: SQLiteError.self) {
            try Database(path: path, mode: .writer).execute("CREATE TABLE t(a)")
        }
    }

    @Test func `a reader sees committed data and cannot change it`() throws {
        let writer = try Database(path: path, mode: .writer)
        try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        let reader = try Database(path: path, mode: .reader)
        try writer.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")
        #expect(writer.inTransaction)
        #expect(try reader.query("SELECT a FROM t") == [[1]])
        try writer.execute("COMMIT")
        #expect(!writer.inTransaction)
        #expect(try reader.query("SELECT a FROM t") == [[1], [2]])

        for sql in ["INSERT INTO t VALUES (3)", "DELETE FROM t", "CREATE TABLE u(a)", "PRAGMA user_version=7"] {
            #expect(throws: SQLiteError.self, "\(sql)") { try reader.execute(sql) }
        }
        try reader.execute("PRAGMA query_only=OFF")
        let error = #expect(throws: SQLiteError.self) { try reader.execute("INSERT INTO t VALUES (3)") }
        #expect((error?.code ?? 0) & 0xff == SQLITE_READONLY)
        #expect(throws: SQLiteError.self) { try reader.checkpoint() }
        #expect(try writer.query("SELECT count(*) FROM t") == [[2]])
    }

    @Test func `the writer checkpoints only on request`() throws {
        let writer = try Database(path: path, mode: .writer)
        try writer.execute("CREATE TABLE t(a)")
        let insert = try writer.prepare("INSERT INTO t VALUES (?)")
        for _ in 0..<1200 { try insert.run(.blob([UInt8](repeating: 7, count: 4000))) }
        #expect(try size(of: path) == 0 || size(of: path) == 4096)
        #expect(try size(of: path + "-wal") > 1000 * 4096)

        let reader = try Database(path: path, mode: .reader)
        let held = try reader.prepare("SELECT a FROM t")
        #expect(try held.step())
        try insert.run(1)
        let part = try writer.checkpoint()
        #expect(part.pages > 1200)
        #expect(part.moved < part.pages)
        held.reset()
        let all = try writer.checkpoint(truncate: true)
        #expect(all.pages == all.moved)
        #expect(try size(of: path + "-wal") == 0)
        #expect(try reader.query("SELECT count(*) FROM t") == [[1201]])
    }

    @Test func `the WAL stays if a reader is the last to close`() throws {
        var writer: Database? = try Database(path: path, mode: .writer)
        try writer?.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        var reader: Database? = try Database(path: path, mode: .reader)
        #expect(try reader?.query("SELECT a FROM t") == [[1]])
        writer = nil
        reader = nil
        #expect(try size(of: path + "-wal") > 0)
        let again = try Database(path: path, mode: .writer)
        #expect(try again.query("SELECT a FROM t") == [[1]])
    }

    @Test func `the number of changed rows is reported`() throws {
        let database = try Database(path: "", mode: .memory)
        try database.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
        try database.execute("INSERT INTO t(a) VALUES (1), (2), (3)")
        #expect(database.changes == 3)
        try database.execute("UPDATE t SET a = 0 WHERE id < 3")
        #expect(database.changes == 2)
    }

    @Test func `a backup is consistent while the database is being written`() throws {
        let writer = try Database(path: path, mode: .writer)
        try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        let reader = try Database(path: path, mode: .reader)
        try writer.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")
        let target = folder.file("copy.sqlite")
        try reader.backup(to: target)
        try writer.execute("COMMIT")
        #expect(try Database(path: target, mode: .reader).query("SELECT a FROM t") == [[1]])
        let pinned = try Database(path: path, mode: .reader)
        try pinned.execute("BEGIN")
        #expect(try pinned.query("SELECT count(*) FROM t") == [[2]])
        try writer.execute("INSERT INTO t VALUES (9); DELETE FROM t WHERE a = 1")
        let earlier = folder.file("earlier.sqlite")
        try pinned.backup(to: earlier)
        try pinned.execute("ROLLBACK")
        #expect(try Database(path: earlier, mode: .reader).query("SELECT a FROM t") == [[1], [2]])
        try writer.execute("DELETE FROM t; INSERT INTO t VALUES (1), (2)")
        let second = folder.file("second.sqlite")
        try writer.backup(to: second)
        let copy = try Database(path: second, mode: .writer)
        #expect(try copy.query("SELECT a FROM t") == [[1], [2]])
        #expect(try copy.quickCheck() == [])
        #expect(try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int == 0o600)

        try copy.execute("INSERT INTO t VALUES (3)")
        for taken in [target, second, path] {
            #expect(throws: SQLiteError.self) { try writer.backup(to: taken) }
        }
        #expect(throws: SQLiteError.self) { try writer.backup(to: folder.file("no/such/folder")) }
        #expect(try copy.query("SELECT count(*) FROM t") == [[3]])
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.allSatisfy { !$0.contains("partial") })
        #expect(!left.contains { $0.hasPrefix("earlier.sqlite-") || $0.hasPrefix("copy.sqlite-") }, "\(left)")
    }

    private func size(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? -1
    }
}
