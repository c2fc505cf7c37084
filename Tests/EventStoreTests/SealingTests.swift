import EventSourcing
import Foundation
import SQLite
import TestKit
import Testing
import Vocabulary
import Wire

@testable import EventStore

@Suite("Sealed journals")
struct SealingTests {
    /// The step before which the process dies.
    private enum Death: String, CaseIterable, CustomStringConvertible {
        case whileTheSegmentIsWritten, beforeItIsRecorded, beforeTheCommit, beforeAnyRowLeaves, betweenTwoDrops
        case beforeTheNextRun

        var description: String { rawValue }
    }

    @Test func `a sealed journal serves the same bytes, ids and hashes from its segments`() throws {
        try withTemporaryDirectory { folder in
            let sealed = try Sealed(at: "\(folder)/journal.db")
            try sealed.append(0..<3_000)
            let plain = try EventLogContract.audit(SQLiteReader(path: sealed.path))
            try sealed.sealAll()
            let reader = try SQLiteReader(path: sealed.path)
            let entries = try EventLogContract.audit(reader)
            #expect(Array(entries.prefix(plain.count)) == plain)
            for position: Position in [1, 699, 700, 701, 2_801, 3_001, 4_000] {
                let packed = try reader.pack(from: position, events: 512)
                let whole = try reader.read(
                    from: position, events: EventLimits.pageEvents, bytes: EventLimits.pageBytes)
                #expect(packed.bytes == PackedEntries(whole).bytes, "from \(position)")
            }
            // Four `JournalSealed` events, and one that announces the key.
            #expect(entries.count == plain.count + 5)
            #expect(try sealed.rows("SELECT count(*) FROM entry") == entries.count - 4 * Sealed.run)
            for entry in entries {
                #expect(try reader.hash(at: entry.position) == entry.hash)
                let id = try EnvelopeCodec.read(entry.bytes).envelope.id
                #expect(try reader.position(of: id) == entry.position)
            }
            // An id that is sealed is still recognised: appending the same events again changes nothing.
            let head = sealed.log.head
            try sealed.append(0..<3_000)
            #expect(sealed.log.head == head)
            print("sealed: \(entries.count) entries and ids found, \(4 * Sealed.run) of them in segments")
        }
    }

    /// F24: a crash at any step of sealing loses nothing, and the next process completes it.
    @Test(arguments: Death.allCases)
    private func `a new process completes the sealing that a crash interrupted`(death: Death) throws {
        try withTemporaryDirectory { folder in
            var sealed = try Sealed(at: "\(folder)/first.db")
            try sealed.append(0..<3_000)
            let plain = try EventLogContract.audit(SQLiteReader(path: sealed.path))
            var deaths = 0
            while let run = try sealed.due {
                try walk(sealed, run, until: death)
                deaths += 1
                let copy = "\(folder)/after\(deaths).db"
                try copyDatabase(sealed.path, to: copy)
                sealed = try Sealed(at: copy)
                let entries = try EventLogContract.audit(SQLiteReader(path: copy))
                #expect(Array(entries.prefix(plain.count)) == plain)
                // This run is completed; the process then dies in the next one.
                while try sealed.log.dropSealed() {}
                if try sealed.due == run {
                    try sealed.stage(try sealed.make(run))
                    try sealed.log.commit()
                    while try sealed.log.dropSealed() {}
                }
            }
            try sealed.sealAll()
            let entries = try EventLogContract.audit(SQLiteReader(path: sealed.path))
            #expect(Array(entries.prefix(plain.count)) == plain)
            let facts = try entries.map { try EnvelopeCodec.read($0.bytes).envelope.name }
            #expect(facts.count { $0 == JournalSealed.name } == 4)
            #expect(facts.count { $0 == SealKeyAnnounced.name } == 1)
            #expect(try sealed.folder.names().count == 4)
            #expect(deaths == 4)
            print("\(death): \(deaths) deaths")
        }
    }

    /// Runs the steps of sealing up to `death`.
    private func walk(_ sealed: Sealed, _ run: ClosedRange<Position>, until death: Death) throws {
        if death == .whileTheSegmentIsWritten {
            try FileManager.default.createDirectory(atPath: sealed.folder.path, withIntermediateDirectories: true)
            let torn = "\(sealed.folder.file(of: run)).1.2.new"
            return try Data("furrow-segment/1\nte".utf8).write(to: URL(fileURLWithPath: torn))
        }
        let made = try sealed.make(run)
        if death == .beforeItIsRecorded { return }
        try sealed.stage(made)
        if death == .beforeTheCommit { return }
        try sealed.log.commit()
        if death == .beforeAnyRowLeaves { return }
        #expect(try sealed.log.dropSealed())
        if death == .betweenTwoDrops { return }
        while try sealed.log.dropSealed() {}
    }

    @Test func `a reader names a missing, damaged or foreign segment and returns no wrong entry`() throws {
        try withTemporaryDirectory { folder in
            let sealed = try Sealed(at: "\(folder)/journal.db")
            try sealed.append(0..<3_000)
            try sealed.sealAll()
            let plain = try EventLogContract.audit(SQLiteReader(path: sealed.path))
            let names = try sealed.folder.names()
            let file = URL(fileURLWithPath: "\(sealed.folder.path)/\(names[1])")
            let sound = try Data(contentsOf: file)
            func failure(at position: Position) throws -> String? {
                let reader = try SQLiteReader(path: sealed.path)
                do throws(LogFailure) {
                    #expect(try reader.read(from: position, events: 1, bytes: 1).first == plain[Int(position - 1)])
                    return nil
                } catch {
                    return error.message
                }
            }
            // The segment is removed.
            try FileManager.default.removeItem(at: file)
            #expect(try failure(at: 1_000)?.contains(names[1]) == true)
            #expect(try failure(at: 700) == nil)
            #expect(try failure(at: 1_401) == nil)
            // The segment is restored.
            try sound.write(to: file)
            #expect(try failure(at: 1_000) == nil)
            // A byte of its last block is changed.
            var damaged = sound
            damaged[damaged.count - 10] ^= 1
            try damaged.write(to: file)
            #expect(try failure(at: 1_400)?.contains("positions 1213–1400 are damaged") == true)
            #expect(try failure(at: 701) == nil)
            // A valid segment of another journal with the same file name.
            let other = try Sealed(at: "\(folder)/other.db")
            try other.append(3_000..<6_000)
            try other.sealAll()
            try Data(contentsOf: URL(fileURLWithPath: "\(other.folder.path)/\(names[1])")).write(to: file)
            #expect(try failure(at: 1_000)?.contains("not the one that this journal sealed") == true)
            try sound.write(to: file)
            #expect(try EventLogContract.audit(SQLiteReader(path: sealed.path)) == plain)
        }
    }

    @Test func `a journal in an older format is upgraded when it is opened and can be sealed`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/journal.db"
            do {
                let old = try Sealed(at: path)
                try old.append(0..<3_000)
                try old.log.close()
            }
            do {
                let database = try Database(path: path, mode: .writer)
                try database.execute(
                    """
                    DROP TABLE segment; DROP TABLE sealed; ALTER TABLE answer DROP COLUMN sum;
                    DROP INDEX answer_number; ALTER TABLE answer DROP COLUMN number;
                    PRAGMA user_version = 1
                    """)
            }
            let plain = try EventLogContract.audit(SQLiteReader(path: path))
            let sealed = try Sealed(at: path)
            try sealed.sealAll()
            let entries = try EventLogContract.audit(SQLiteReader(path: path))
            #expect(Array(entries.prefix(plain.count)) == plain)
            #expect(try sealed.rows("PRAGMA user_version") == Int(JournalFormat.fileVersion))
            #expect(try sealed.folder.names().count == 4)
        }
    }

    @Test func `a journal accepts a sealed run only if it is its own next run`() throws {
        try withTemporaryDirectory { folder in
            let sealed = try Sealed(at: "\(folder)/journal.db")
            try sealed.append(0..<3_000)
            for run in [2...701, 701...1_400] as [ClosedRange<Position>] {
                let made = try sealed.make(run)
                #expect(throws: LogFailure.self) { try sealed.log.hand(over: made) }
            }
            #expect(throws: LogFailure.self) { _ = try sealed.make(2_900...3_600) }
            let other = try Sealed(at: "\(folder)/other.db")
            try other.append(0..<800)
            let made = try other.make(1...700)
            #expect(throws: LogFailure.self) { try sealed.log.hand(over: made) }
            try sealed.sealAll()
            #expect(try EventLogContract.audit(SQLiteReader(path: sealed.path)).count == 3_006)
        }
    }
}
