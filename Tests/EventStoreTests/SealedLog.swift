import EventSourcing
import EventStore
import TestKit
import Vocabulary

/// A SQLite log that seals nearly all entries right after each commit, so that reads cover segments, the file and both.
final class SealedLog: EventLog {
    let log: SQLiteLog
    private let folder: SegmentDirectory
    private var sealedTo: Position

    /// The number of entries that stay in the file. Opening a journal verifies its end there.
    private static let tail: Position = 2
    private static let shortest: Position = 3

    init(_ log: SQLiteLog) throws {
        self.log = log
        folder = SegmentDirectory(ofJournal: log.path)
        sealedTo = try folder.sealedTo()
    }

    var head: Head { log.head }
    func version(of stream: String) throws(LogFailure) -> Int { try log.version(of: stream) }
    func recall(_ key: IdempotencyKey) throws(LogFailure) -> IdempotencyLookup { try log.recall(key) }
    func stage(_ commit: Commit, at now: Instant) throws(StageError) -> [Staged] { try log.stage(commit, at: now) }
    func reader() throws(LogFailure) -> any LogReader { try log.reader() }

    func beginEpoch(why: String, at now: Instant, resettingTime: Bool) throws(LogFailure) {
        try log.beginEpoch(why: why, at: now, resettingTime: resettingTime)
    }

    func commit() throws(LogFailure) {
        try log.commit()
        guard log.head.position >= sealedTo + Self.shortest + Self.tail else { return }
        let run = try SealedRun.make(
            (sealedTo + 1)...(log.head.position - Self.tail), reading: log.reader(), in: folder)
        try log.hand(over: run)
        try log.commit()
        sealedTo = run.head.positions.upperBound
        // For some runs the rows stay in the file although they are sealed.
        guard !sealedTo.isMultiple(of: 3) else { return }
        while try log.dropSealed() {}
    }

    static func harness(in folder: String) -> EventLogHarness {
        let plain = Engine.sqliteHarness(in: folder)
        return EventLogHarness(
            create: { now in try SealedLog(sqlite(plain.create(now))) },
            crash: { log, now in try SealedLog(sqlite(plain.crash(inner(log), now))) },
            readers: { log in try plain.readers(inner(log)) })
    }

    private static func inner(_ log: any EventLog) throws -> SQLiteLog {
        guard let log = log as? SealedLog else { throw ContractBreach("not a sealed log") }
        return log.log
    }

    private static func sqlite(_ log: any EventLog) throws -> SQLiteLog {
        guard let log = log as? SQLiteLog else { throw ContractBreach("not a SQLite log") }
        return log
    }
}

extension SegmentDirectory {
    /// Returns the last position of the newest segment, or 0 if there is none.
    func sealedTo() throws -> Position {
        try names().last.map { try Segment(path: "\(path)/\($0)").head.positions.upperBound } ?? 0
    }
}
