import Foundation
import Glibc
import SQLite
import Testing

@Suite("Damaged and full disks")
struct DamageTests {
    let folder: Folder
    let path: String

    init() throws {
        folder = try Folder()
        path = folder.file("journal.sqlite")
    }

    @Test(arguments: [Database.Mode.writer, .scratch, .reader])
    func `opening a file with a damaged header reports damage`(opening mode: Database.Mode) throws {
        try fill(rows: 100)
        try overwrite(at: 0, with: [UInt8](repeating: 0x5a, count: 100))
        let error = #expect(throws: SQLiteError.self) { try Database(path: path, mode: mode) }
        #expect(error?.isCorrupt == true)
        #expect(error?.isFull == false)
    }

    @Test func `a check finds a damaged page`() throws {
        try fill(rows: 400)
        try overwrite(at: 3 * 4096, with: [UInt8](repeating: 0xff, count: 4096))
        let database = try Database(path: path, mode: .reader)
        do {
            #expect(try database.quickCheck().isEmpty == false)
        } catch {
            #expect(error.isCorrupt)
        }
        let error = #expect(throws: SQLiteError.self) { try database.query("SELECT sum(length(a)) FROM t") }
        #expect(error?.isCorrupt == true)
    }

    @Test func `a full disk preserves earlier rows`() throws {
        let mounted = folder.file("small")
        try FileManager.default.createDirectory(atPath: mounted, withIntermediateDirectories: false)
        guard try run("mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", mounted) else {
            print("SKIPPED full disk: this user may not mount a small tmpfs")
            return
        }
        defer { #expect(throws: Never.self) { try run("umount", mounted) } }
        let file = "\(mounted)/journal.sqlite"
        var stored: Int64 = 0
        do {
            let database = try Database(path: file, mode: .writer)
            try database.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a BLOB)")
            let insert = try database.prepare("INSERT INTO t VALUES (?, ?)")
            let error = #expect(throws: SQLiteError.self) {
                while stored < 1000 {
                    try insert.run(.integer(stored + 1), .blob([UInt8](repeating: 9, count: 3000)))
                    stored += 1
                }
            }
            #expect(error?.isFull == true, "\(String(describing: error))")
            #expect(error?.isSyncFailure == false)
            #expect(stored > 10)
            #expect(!database.inTransaction)
            #expect(try database.query("SELECT count(*), max(id) FROM t") == [[.integer(stored), .integer(stored)]])
            let again = #expect(throws: SQLiteError.self) {
                try insert.run(.integer(stored + 1), .blob([UInt8](repeating: 9, count: 30000)))
            }
            #expect(again?.isFull == true)
        }
        print("full after \(stored) rows")
        let reader = try Database(path: file, mode: .reader)
        #expect(try reader.query("SELECT count(*), max(id) FROM t") == [[.integer(stored), .integer(stored)]])
        #expect(try reader.quickCheck() == [])
    }

    @Test func `a failed sync is not reported as a full disk`() {
        let sync = SQLiteError(code: 10 | (4 << 8), operation: "step", message: "disk I/O error", systemCode: ENOSPC)
        #expect(sync.isSyncFailure)
        #expect(!sync.isFull)
        let write = SQLiteError(code: 10 | (3 << 8), operation: "step", message: "disk I/O error", systemCode: EDQUOT)
        #expect(write.isFull)
        #expect(!SQLiteError(code: 10 | (3 << 8), operation: "step", message: "", systemCode: EIO).isFull)
    }

    @discardableResult
    private func run(_ command: String...) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    private func fill(rows: Int) throws {
        let database = try Database(path: path, mode: .writer)
        try database.execute("CREATE TABLE t(a BLOB); BEGIN")
        let insert = try database.prepare("INSERT INTO t VALUES (?)")
        for _ in 0..<rows { try insert.run(.blob([UInt8](repeating: 3, count: 500))) }
        try database.execute("COMMIT")
        try database.checkpoint(truncate: true)
    }

    private func overwrite(at offset: UInt64, with bytes: [UInt8]) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }
}
