import EventSourcing
import Foundation
import SQLite
import TestKit
import Testing
import Vocabulary
import Wire

@testable import EventStore

@Suite("SQLite journals")
struct SQLiteLogTests {
    private static let now = Instant(microseconds: 1_777_792_500_000_000)
    private static let feed = "test/farm-0"

    private func open(_ folder: String, at now: Instant = now) throws(LogFailure) -> SQLiteLog {
        try SQLiteLog(directory: folder, feed: Self.feed, why: "test", at: now)
    }

    private func draft(_ number: Int, _ text: String = "", id: Vocabulary.UUID? = nil) -> Draft {
        Draft(Noted(number, text), in: "note/\(number % 3)", id: id, by: .service("test"))
    }

    private func failure(_ body: () throws -> Void) -> LogFailure? {
        do {
            try body()
            return nil
        } catch let failure as LogFailure {
            return failure
        } catch {
            Issue.record("another error: \(error)")
            return nil
        }
    }

    /// Runs `sql` on the file of a closed journal.
    private func tamper(_ folder: String, _ sql: String) throws {
        let database = try Database(path: "\(folder)/\(SQLiteLog.fileName)", mode: .writer)
        try database.execute(sql)
        try database.checkpoint(truncate: true)
    }

    @Test func `a closed journal is a single file with an empty WAL`() throws {
        try withTemporaryDirectory { folder in
            let log = try open(folder)
            _ = try log.stage(Commit([draft(1), draft(2)]), at: Self.now)
            try log.commit()
            let head = log.head
            _ = try log.stage(Commit([draft(3)]), at: Self.now)
            try log.close()
            #expect(failure { try log.commit() } != nil)
            #expect(failure { _ = try log.reader() } != nil)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            let sizes = try names.filter { $0.hasSuffix("-wal") }.map {
                try FileManager.default.attributesOfItem(atPath: "\(folder)/\($0)")[.size] as? Int
            }
            #expect(sizes.allSatisfy { $0 == 0 })
            let again = try open(folder, at: Self.now.advanced(bySeconds: -100))
            #expect(again.head == head)
        }
    }

    /// Returns the error of opening the journal in the folder for `feed`; nil if it opens.
    private func refusal(_ folder: String, feed: String = feed) -> LogFailure? {
        do throws(LogFailure) {
            _ = try SQLiteLog(directory: folder, feed: feed, why: "test", at: Self.now)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a journal refuses a second writer, another origin and a newer format`() throws {
        try withTemporaryDirectory { folder in
            let log = try open(folder)
            #expect(refusal(folder)?.operation == "open")
            try log.close()
            #expect(refusal(folder, feed: "other/farm-0")?.message.contains("test/farm-0") == true)
            #expect(refusal(folder, feed: "nobody") != nil)
            try tamper(folder, "PRAGMA user_version = \(JournalFormat.replicaVersion + 1)")
            #expect(refusal(folder)?.message.contains("newer Furrow") == true)
            let reading = failure { _ = try SQLiteReader(path: "\(folder)/\(SQLiteLog.fileName)") }
            #expect(reading?.message.contains("newer Furrow") == true)
        }
    }

    @Test(arguments: [
        "UPDATE entry SET bytes = replace(bytes, 'noted', 'voted') WHERE pos = 20",
        "UPDATE entry SET hash = zeroblob(32) WHERE pos = 20",
        "UPDATE entry SET bytes = zeroblob(10) WHERE pos = 18",
        "DELETE FROM entry WHERE pos = 19",
        "DELETE FROM entry",
        "UPDATE meta SET epoch = '0000000000000001'",
        "UPDATE entry SET pos = 25 WHERE pos = 20",
    ])
    func `a journal refuses to open if its last entries do not fit the hash chain`(tampering: String) throws {
        try withTemporaryDirectory { folder in
            let log = try open(folder)
            for number in 2...20 { _ = try log.stage(Commit([draft(number)]), at: Self.now) }
            try log.commit()
            try log.close()
            try tamper(folder, tampering)
            #expect(refusal(folder)?.operation == "open")
        }
    }

    @Test func `a journal refuses to open a file of another kind`() throws {
        try withTemporaryDirectory { folder in
            try tamper(folder, "CREATE TABLE other(x)")
            #expect(refusal(folder)?.message.contains("no journal") == true)
            let garbage = Data(repeating: 0x58, count: 9_000)
            try garbage.write(to: URL(fileURLWithPath: "\(folder)/garbage.db"))
            #expect(
                failure {
                    _ = try SQLiteLog(path: "\(folder)/garbage.db", feed: Self.feed, why: "", at: Self.now)
                } != nil)
        }
    }

    @Test func `a crash at any step leaves exactly the committed entries`() throws {
        try withTemporaryDirectory { folder in
            var checked = 0
            let log = try open(folder)
            var committed = log.head
            var random = SplitMix64(seed: 5)
            for step in 0..<120 {
                let size = step.isMultiple(of: 9) ? 60_000 : 300
                for number in 0..<Int.random(in: 1...40, using: &random) {
                    let text = String(repeating: "x", count: size)
                    _ = try log.stage(Commit([draft(number, text)]), at: Self.now)
                }
                if step.isMultiple(of: 2) {
                    try log.commit()
                    committed = log.head
                    if step.isMultiple(of: 6) { try log.idle() }
                }
                guard step.isMultiple(of: 3) else { continue }
                let copy = "\(folder)/copy\(step).db"
                try copyDatabase(log.path, to: copy)
                let survivor = try SQLiteLog(path: copy, feed: Self.feed, why: "", at: Self.now)
                #expect(survivor.head == committed)
                // A truncated WAL loses whole commits from its end, never from the middle, and never half of one.
                try cut(copy, from: log.path, &random)
                let reopened = try SQLiteLog(path: copy + ".cut", feed: Self.feed, why: "", at: Self.now)
                #expect(reopened.head.position <= committed.position)
                let there = try log.reader().hash(at: reopened.head.position)
                #expect(there == reopened.head.hash)
                checked += 2
            }
            print("checked \(checked) crashes")
            #expect(checked >= 80)
        }
    }

    /// Copies a live database with its WAL torn at a random place.
    private func cut(_ copy: String, from path: String, _ random: inout SplitMix64) throws {
        try FileManager.default.copyItem(atPath: path, toPath: copy + ".cut")
        var wal = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        if !wal.isEmpty {
            wal = wal.prefix(Int.random(in: 0...wal.count, using: &random))
            try wal.write(to: URL(fileURLWithPath: copy + ".cut-wal"))
        }
    }

    @Test func `a journal refuses all operations after a failed commit`() throws {
        try withTemporaryDirectory { folder in
            var log = try open(folder)
            _ = try log.stage(Commit([draft(1)]), at: Self.now)
            try log.commit()
            let committed = log.head
            try log.close()
            // A trigger rejects the fourth entry, as a damaged file would.
            try tamper(
                folder,
                "CREATE TRIGGER refuse BEFORE INSERT ON entry WHEN NEW.pos = 4 BEGIN SELECT RAISE(ABORT, 'no'); END")
            log = try open(folder)
            _ = try log.stage(Commit([draft(2), draft(3), draft(4)]), at: Self.now)
            let first = failure { try log.commit() }
            #expect(first?.operation == "commit")
            #expect(failure { try log.commit() } == first)
            #expect(failure { try log.idle() } == first)
            #expect(failure { _ = try log.version(of: "note/0") } == first)
            #expect(failure { _ = try log.recall(IdempotencyKey(actor: "a", key: "k", digest: [])) } == first)
            #expect(failure { _ = try log.reader() } == first)
            #expect(throws: StageError.self) { _ = try log.stage(Commit([self.draft(3)]), at: Self.now) }
            try log.close()
            #expect(try open(folder).head == committed)
        }
    }

    @Test func `a full disk is reported and committed entries stay readable`() throws {
        try withTemporaryDirectory { folder in
            guard try run("/bin/mount", "-t", "tmpfs", "-o", "size=2m", "furrow-test", folder) == 0 else {
                print("SKIPPED a full disk: this user cannot mount a small one")
                return
            }
            var committed: Head?
            var full: LogFailure?
            do {
                let log = try open(folder)
                let text = String(repeating: "x", count: 50_000)
                while full == nil {
                    _ = try log.stage(Commit([draft(1, text)]), at: Self.now)
                    full = failure { try log.commit() }
                    if full == nil { committed = log.head }
                }
                #expect(failure { try log.commit() } == full)
            }
            #expect(full?.isFull == true)
            let reader = try SQLiteReader(path: "\(folder)/\(SQLiteLog.fileName)")
            #expect(try reader.head() == committed)
            #expect(try EventLogContract.audit(reader).count >= 10)
            #expect(try run("/bin/mount", "-o", "remount,size=8m", folder) == 0)
            let log = try open(folder)
            #expect(log.head == committed)
            _ = try log.stage(Commit([draft(1)]), at: Self.now)
            try log.commit()
            try log.close()
            #expect(try run("/bin/umount", "-l", folder) == 0)
        }
    }

    private func run(_ command: String, _ arguments: String...) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test func `a new epoch names the previous epoch and its last position`() async throws {
        for engine in Engine.allCases {
            try await engine.withLogs { harness in
                var log = try harness.create(Self.now)
                _ = try log.stage(Commit([draft(1)]), at: Self.now)
                try log.commit()
                let before = log.head
                if let log = log as? SQLiteLog { try log.beginEpoch(why: "restored", at: Self.now) }
                if let log = log as? SealedLog { try log.log.beginEpoch(why: "restored", at: Self.now) }
                if let log = log as? MemoryLog { try log.beginEpoch(why: "restored", at: Self.now) }
                #expect(log.head.epoch != before.epoch)
                #expect(log.head.position == before.position + 1)
                let entry = try log.reader().read(from: log.head.position, events: 1, bytes: 1)[0]
                let (envelope, data) = try EnvelopeCodec.read(entry.bytes)
                #expect(envelope.epoch == log.head.epoch)
                let began = try EpochBegan(json: data)
                #expect(began.previous == before.epoch)
                #expect(began.keptTo == before.position)
                #expect(began.keptHash == Hex.encode(before.hash))
                let head = log.head
                log = try harness.crash(log, Self.now)
                #expect(log.head == head)
                try EventLogContract.audit(try log.reader())
                let start = try log.reader().hash(at: 0)
                #expect(start == Chain.start(feed: Self.feed, epoch: before.epoch))
            }
        }
    }

    @Test func `idling checkpoints a large WAL, and a closed journal stays readable`() throws {
        try withTemporaryDirectory { folder in
            let log = try open(folder)
            let text = String(repeating: "x", count: 40_000)
            for number in 0..<60 { _ = try log.stage(Commit([draft(number, text)]), at: Self.now) }
            try log.commit()
            let size = { (name: String) in
                (try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.size] as? Int) ?? 0
            }
            let before = try size(SQLiteLog.fileName)
            try log.idle()
            #expect(try size(SQLiteLog.fileName) > before + 60 * 40_000)
            let head = log.head
            try log.close()
            let reader = try SQLiteReader(path: "\(folder)/\(SQLiteLog.fileName)")
            #expect(try reader.head() == head)
            #expect(try EventLogContract.audit(reader).count == 61)
        }
    }

    @Test func `idling checkpoints the WAL that a killed process left`() throws {
        try withTemporaryDirectory { folder in
            let log = try open(folder)
            let (killed, alone) = ("\(folder)/killed.db", "\(folder)/alone.db")
            _ = try log.stage(Commit([draft(1)]), at: Self.now)
            try log.commit()
            // After a kill, the commit is in the WAL only and not yet in the database file.
            try copyDatabase(log.path, to: killed)
            let again = try SQLiteLog(path: killed, feed: Self.feed, why: "test", at: Self.now)
            try again.idle()
            try FileManager.default.copyItem(atPath: killed, toPath: alone)
            #expect(try SQLiteReader(path: alone).head() == log.head)
        }
    }

    @Test func `the same seed gives a journal with the same bytes`() throws {
        let logs = try (0..<2).map { _ in
            let log = try MemoryLog(feed: Self.feed, why: "test", at: Self.now, chance: .seeded(7))
            for number in 0..<300 { _ = try log.stage(Commit([draft(number)]), at: Self.now) }
            return log
        }
        #expect(logs[0].head == logs[1].head)
        let other = try MemoryLog(feed: Self.feed, why: "test", at: Self.now, chance: .seeded(8))
        #expect(other.head.epoch != logs[0].head.epoch)
    }

    @Test func `an in-memory journal fails the commit that a test has planned`() throws {
        let log = try MemoryLog(feed: Self.feed, why: "test", at: Self.now)
        let planned = LogFailure(operation: "commit", message: "full", isFull: true)
        log.fail(atCommit: planned)
        try log.commit()
        _ = try log.stage(Commit([draft(1)]), at: Self.now)
        #expect(failure { try log.commit() } == planned)
        #expect(failure { _ = try log.version(of: "note/1") } == planned)
        #expect(try log.crash().head.position == 1)
    }
}
