import EventSourcing
import SQLite
import TestKit
import Vocabulary
import Wire

@testable import EventStore

/// A journal with short sealed runs, and the steps of sealing it.
final class Sealed {
    static let feed = "test/farm-0"
    static let now = Instant(microseconds: 1_777_792_500_000_000)
    /// The number of entries in a sealed run; short, so that tests are fast.
    static let run = 700
    static let tail = 100

    let path: String
    var log: SQLiteLog

    init(at path: String) throws {
        self.path = path
        log = try SQLiteLog(path: path, feed: Self.feed, why: "test", at: Self.now)
    }

    var folder: SegmentDirectory { SegmentDirectory(ofJournal: path) }

    func append(_ numbers: Range<Int>) throws {
        for number in numbers {
            let draft = Draft(
                Noted(number, "note"), in: "note/\(number % 7)", id: .named("note-\(number)", in: .furrow),
                by: .service("test"))
            _ = try log.stage(Commit([draft]), at: Self.now)
        }
        try log.commit()
    }

    var due: ClosedRange<Position>? {
        get throws { try SealedRun.due(in: log, events: Self.run, keeping: Self.tail) }
    }

    func make(_ run: ClosedRange<Position>) throws -> SealedRun {
        try SealedRun.make(run, reading: SQLiteReader(path: path), in: folder)
    }

    func stage(_ run: SealedRun) throws {
        _ = try log.stage(Commit(run.drafts), at: Self.now)
        try log.hand(over: run)
    }

    /// Seals every run that is due, and deletes its rows from the file.
    func sealAll() throws {
        while try log.dropSealed() {}
        while let run = try due {
            try stage(try make(run))
            try log.commit()
            while try log.dropSealed() {}
        }
    }

    func rows(_ sql: String) throws -> Int {
        let database = try Database(path: path, mode: .reader)
        guard case .integer(let count)? = try database.query(sql).first?.first else { return -1 }
        return Int(count)
    }
}
