import EventSourcing
import EventStore
import HubStore
import TestKit
import Vocabulary

/// A machine's disk: its journal, and the view tables as of their last flush. It outlives the process.
final class SimulatedDisk {
    private(set) var log: any EventLog
    private var tables: MemoryTables?
    /// The last position that a power cut preserves.
    var synced: Position
    /// The simulated time at which each entry was written.
    private var written: [Int64] = []

    init(_ log: any EventLog) {
        self.log = log
        synced = log.head.position
    }

    /// Stores a copy of the view tables. A process that starts projects the later events again.
    func store(_ tables: MemoryTables) throws {
        self.tables = tables.copy()
    }

    /// Returns the view tables for a process that starts; empty ones if there is no usable copy.
    func tables(of schemas: [TableSchema]) throws -> MemoryTables {
        guard let stored = tables?.copy(), stored.position <= log.head.position else {
            return try MemoryTables(schemas)
        }
        return stored
    }

    /// Discards what was not synced, as the end of the process does.
    func crash(chance seed: UInt64, isLying: Bool) throws {
        if let hub = log as? MemoryHub {
            log = try hub.crash(chance: .seeded(seed))
        } else if let journal = log as? MemoryLog {
            log = try journal.crash(chance: .seeded(seed), synced: isLying ? synced : nil)
        }
        synced = log.head.position
        if written.count > Int(log.head.position) { written.removeLast(written.count - Int(log.head.position)) }
        if let stored = tables, stored.position > log.head.position { tables = nil }
    }

    /// Restores the journal from a backup: the view tables are empty, and a new epoch begins.
    func restore(at now: Instant) throws {
        try (log as? MemoryLog)?.beginEpoch(why: "restored", at: now)
        synced = log.head.position
        tables = nil
    }

    /// Records that all entries up to the head were written at that time at the latest.
    func note(at now: Int64) {
        let head = Int(log.head.position)
        if written.count > head { written.removeLast(written.count - head) }
        written += Array(repeating: now, count: head - written.count)
    }

    /// Returns when the entry at a position was written.
    func written(_ position: Position) -> Int64 { written[Int(position) - 1] }

    /// Makes the next sync fail.
    func failNextSync() {
        let failure = LogFailure(operation: "fsync", message: "Input/output error")
        (log as? MemoryHub)?.fail(atCommit: failure)
        (log as? MemoryLog)?.fail(atCommit: failure)
    }
}

/// The journal as a mutant uses it.
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
        let lookup = try inner.recall(key)
        guard mutant == .forgetsAnswers, case .answered = lookup else { return lookup }
        return .unknown
    }

    func stage(_ commit: Commit, at now: Instant) throws(StageError) -> [Staged] {
        var commit = commit
        if mutant == .dropsDedupe {
            for index in commit.drafts.indices { commit.drafts[index].id = nil }
        }
        // Without this, the store would refuse a second response to the same key.
        if mutant == .forgetsAnswers { commit.answer = nil }
        return try inner.stage(commit, at: now)
    }

    func commit() throws(LogFailure) { try inner.commit() }
    func reader() throws(LogFailure) -> any LogReader { try inner.reader() }

    func beginEpoch(why: String, at now: Instant, resettingTime: Bool) throws(LogFailure) {
        try inner.beginEpoch(why: why, at: now, resettingTime: resettingTime)
    }
}
