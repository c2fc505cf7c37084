import EventSourcing
import EventStore
import HubStore
import TestKit
import Vocabulary

/// A machine's disk: its journal, and the views as they were last written back. It outlives the process.
final class SimulatedDisk {
    private(set) var log: any EventLog
    private var tables: MemoryTables?
    /// The last position of which the disk may say that it outlives a power cut.
    var synced: Position
    /// When each entry was written, by the world's own time.
    private var written: [Int64] = []

    init(_ log: any EventLog) {
        self.log = log
        synced = log.head.position
    }

    /// Views are written back now and then; what is newer is folded again.
    func keep(_ tables: MemoryTables) throws {
        self.tables = tables.copy()
    }

    /// The views as a process finds them that starts.
    func tables(of schemas: [TableSchema]) throws -> MemoryTables {
        guard let kept = tables?.copy(), kept.position <= log.head.position else {
            return try MemoryTables(schemas)
        }
        return kept
    }

    /// The process ended; whatever was not synced is gone.
    func crash(chance seed: UInt64, isLying: Bool) throws {
        if let hub = log as? MemoryHub {
            log = try hub.crash(chance: .seeded(seed))
        } else if let journal = log as? MemoryLog {
            log = try journal.crash(chance: .seeded(seed), synced: isLying ? synced : nil)
        }
        synced = log.head.position
        if written.count > Int(log.head.position) { written.removeLast(written.count - Int(log.head.position)) }
        if let kept = tables, kept.position > log.head.position { tables = nil }
    }

    /// The journal comes from a backup, which has no views, and begins a new epoch.
    func restore(at now: Instant) throws {
        try (log as? MemoryLog)?.beginEpoch(why: "restored", at: now)
        synced = log.head.position
        tables = nil
    }

    /// Everything up to the head was written by then.
    func note(at now: Int64) {
        let head = Int(log.head.position)
        if written.count > head { written.removeLast(written.count - head) }
        written += Array(repeating: now, count: head - written.count)
    }

    /// When the entry at a position was written.
    func written(_ position: Position) -> Int64 { written[Int(position) - 1] }

    /// The next sync fails.
    func failNextSync() {
        let failure = LogFailure(operation: "fsync", message: "Input/output error")
        (log as? MemoryHub)?.fail(atCommit: failure)
        (log as? MemoryLog)?.fail(atCommit: failure)
    }
}

/// A journal as a flawed process sees it.
final class MutantLog: EventLog {
    private let inner: any EventLog
    private let mutant: Mutant?

    init(_ inner: any EventLog, _ mutant: Mutant?) {
        self.inner = inner
        self.mutant = mutant
    }

    var head: Head { inner.head }
    func version(of stream: String) throws(LogFailure) -> Int { try inner.version(of: stream) }

    func recall(_ key: IdempotencyKey) throws(LogFailure) -> IdempotencyLookup {
        let recollection = try inner.recall(key)
        guard mutant == .forgetsAnswers, case .answered = recollection else { return recollection }
        return .unknown
    }

    func stage(_ commit: Commit, at now: Instant) throws(StageError) -> [Staged] {
        var commit = commit
        if mutant == .dropsDedupe {
            for index in commit.drafts.indices { commit.drafts[index].id = nil }
        }
        // The store would notice that a command is settled twice.
        if mutant == .forgetsAnswers { commit.answer = nil }
        return try inner.stage(commit, at: now)
    }

    func commit() throws(LogFailure) { try inner.commit() }
    func reader() throws(LogFailure) -> any LogReader { try inner.reader() }

    func beginEpoch(why: String, at now: Instant, resettingTime: Bool) throws(LogFailure) {
        try inner.beginEpoch(why: why, at: now, resettingTime: resettingTime)
    }
}
