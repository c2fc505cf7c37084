public import EventSourcing
import Synchronization
public import Vocabulary
import Wire

/// A journal in memory, for tests and simulations: the same rules, without a disk.
///
/// Committed entries outlive the log, so that `crash()` can continue from them like a restarted process.
public final class MemoryLog: EventLog {
    private let journal: MemoryJournal
    private var staging: Staging
    private var broken: LogFailure?
    private var planned: LogFailure?

    /// Creates a journal whose first, committed entry is `EpochBegan(why: why)`.
    public init(feed: String, why: String, at now: Instant, chance: RandomSource = .system) throws(LogFailure) {
        let origin = try JournalFormat.origin(of: feed)
        var chance = chance
        let epoch = Epoch(chance.epoch())
        let start = Chain.start(feed: feed, epoch: epoch)
        journal = MemoryJournal(start: start, head: Head(feed: feed, epoch: epoch, position: 0, hash: start))
        staging = Staging(
            origin: origin, epoch: epoch, position: 0, hash: start, recorded: Instant(microseconds: 0), chance: chance)
        do throws(StageError) {
            _ = try stage(
                JournalFormat.beginning(previous: nil, keptTo: 0, keptHash: nil, why: why, of: origin), at: now)
        } catch {
            throw LogFailure(operation: "create", message: "\(error)")
        }
        try commit()
    }

    private init(after journal: MemoryJournal, origin: Origin, chance: RandomSource) throws(LogFailure) {
        self.journal = journal
        let (head, start, entries) = journal.end(StoreLimits.entriesVerified)
        let recorded = try JournalFormat.verify(
            entries, after: start, at: head.position - Position(entries.count), origin: origin, epoch: head.epoch)
        staging = Staging(
            origin: origin, epoch: head.epoch, position: head.position, hash: head.hash, recorded: recorded,
            chance: chance)
    }

    public var head: Head { staging.head }

    public func version(of stream: String) throws(LogFailure) -> Int {
        try checkSound()
        return try staging.version(of: BinaryString(stream), over: journal)
    }

    public func recall(_ key: IdempotencyKey) throws(LogFailure) -> IdempotencyLookup {
        try checkSound()
        return try staging.recall(key, over: journal)
    }

    public func stage(_ commit: Commit, at now: Instant) throws(StageError) -> [Staged] {
        do throws(LogFailure) {
            try checkSound()
        } catch {
            throw .failed(error)
        }
        return try staging.stage(commit, at: now, over: journal)
    }

    public func commit() throws(LogFailure) {
        try checkSound()
        guard !staging.isEmpty else { return }
        if let planned {
            broken = planned
            throw planned
        }
        journal.keep(staging)
        staging.forgetAll()
    }

    public func reader() throws(LogFailure) -> any LogReader {
        try checkSound()
        return MemoryReader(journal)
    }

    /// Begins and commits a new epoch after the current head, as after a restore from a backup.
    public func beginEpoch(why: String, at now: Instant, resettingTime: Bool = false) throws(LogFailure) {
        try commit()
        let head = staging.head
        let beginning = JournalFormat.beginning(
            previous: head.epoch, keptTo: head.position, keptHash: head.hash, why: why, of: staging.origin)
        staging.begin(staging.inventEpoch(), resettingTime: resettingTime)
        do throws(StageError) {
            _ = try stage(beginning, at: now)
        } catch {
            throw LogFailure(operation: "begin an epoch", message: "\(error)")
        }
        try commit()
    }

    /// Ends the process. This log accepts nothing more; the returned one has only what was committed.
    ///
    /// - Parameter synced: for a disk that acknowledges syncs too early: the last position that survives a power cut.
    public func crash(chance: RandomSource = .system, synced: Position? = nil) throws(LogFailure) -> MemoryLog {
        let origin = staging.origin
        broken = broken ?? LogFailure(operation: "use", message: "the process ended")
        let journal = synced.map { self.journal.cut(after: $0) } ?? self.journal
        return try MemoryLog(after: journal, origin: origin, chance: chance)
    }

    /// Removes the bytes of these entries; positions and hashes remain. Requires `JournalPruned` to be committed.
    public func prune(_ positions: [Position]) {
        journal.prune(positions)
    }

    /// Makes the next commit that has something to write fail with `failure`, without committing it.
    public func fail(atCommit failure: LogFailure) {
        planned = failure
    }

    private func checkSound() throws(LogFailure) {
        if let broken { throw broken }
    }
}

/// The committed contents of a journal in memory, shared by its writer and its readers.
package final class MemoryJournal: Sendable {
    private struct Kept {
        var head: Head
        var entries: [Entry] = []
        var ids: [UUID: Position] = [:]
        var versions: [BinaryString: Int] = [:]
        var answers: [CommandName: StoredResponse] = [:]
        /// The contents of each commit, with its last position.
        var commits: [(through: Position, events: [StagedEvent], answers: [CommandName])] = []
    }

    /// The chain hash before the first entry.
    package let start: [UInt8]
    private let kept: Mutex<Kept>

    package init(start: [UInt8], head: Head) {
        self.start = start
        kept = Mutex(Kept(head: head))
    }

    package func keep(_ staging: Staging) {
        kept.withLock { kept in
            for event in staging.events {
                kept.entries.append(event.entry)
                kept.ids[event.id] = event.entry.position
            }
            for (stream, version) in staging.versions { kept.versions[stream] = version }
            for (command, answer) in staging.answers { kept.answers[command] = answer }
            kept.head = staging.head
            kept.commits.append((staging.position, staging.events, Array(staging.answers.keys)))
        }
    }

    /// Appends entries of a mirrored journal or of the hub's order.
    package func keep(_ entries: [Entry], ids: [UUID], head: Head) {
        kept.withLock { kept in
            for (entry, id) in zip(entries, ids) {
                kept.entries.append(entry)
                kept.ids[id] = entry.position
            }
            kept.head = head
        }
    }

    /// Removes the bytes of these entries; positions and hashes remain.
    package func prune(_ positions: [Position]) {
        kept.withLock { kept in
            for position in positions {
                let entry = kept.entries[Int(position) - 1]
                kept.entries[Int(position) - 1] = Entry(position: position, hash: entry.hash, bytes: [])
            }
        }
    }

    /// Returns a copy without the commits that end after a position.
    package func cut(after synced: Position) -> MemoryJournal {
        let copy = MemoryJournal(start: start, head: head)
        copy.kept.withLock { copy in
            copy = kept.withLock { $0 }
            while let last = copy.commits.last, last.through > synced {
                copy.commits.removeLast()
                for event in last.events.reversed() {
                    copy.ids[event.id] = nil
                    copy.versions[event.stream] = event.version - 1
                }
                for command in last.answers { copy.answers[command] = nil }
                copy.entries.removeLast(last.events.count)
            }
            let last = copy.entries.last
            copy.head = Head(
                feed: copy.head.feed, epoch: copy.head.epoch, position: last?.position ?? 0, hash: last?.hash ?? start)
        }
        return copy
    }

    /// Returns the head, the last `count` entries, and the chain hash before them.
    package func end(_ count: Int) -> (head: Head, before: [UInt8], entries: [Entry]) {
        kept.withLock { kept in
            let first = max(0, kept.entries.count - count)
            return (kept.head, first == 0 ? start : kept.entries[first - 1].hash, Array(kept.entries[first...]))
        }
    }

    package var head: Head { kept.withLock { $0.head } }

    package func entries(from position: Position, events: Int, bytes: Int) -> [Entry] {
        kept.withLock { kept in
            guard position <= UInt64(kept.entries.count) else { return [] }
            var size = 0
            var entries: [Entry] = []
            for entry in kept.entries[Int(max(position, 1) - 1)...].prefix(max(events, 0)) {
                entries.append(entry)
                size += entry.bytes.count
                if size >= bytes { break }
            }
            return entries
        }
    }

    package func hash(at position: Position) -> [UInt8]? {
        if position == 0 { return start }
        return kept.withLock { kept in
            position <= UInt64(kept.entries.count) ? kept.entries[Int(position - 1)].hash : nil
        }
    }
}

extension MemoryJournal: CommittedJournal {
    package func storedVersion(of stream: BinaryString) -> Int { kept.withLock { $0.versions[stream] ?? 0 } }
    package func storedPosition(of id: UUID) -> Position? { kept.withLock { $0.ids[id] } }
    package func storedResponse(to command: CommandName) -> StoredResponse? { kept.withLock { $0.answers[command] } }
}

/// A reader of a journal in memory. It may be used on any thread.
public final class MemoryReader: MirrorReader, Sendable {
    private let journal: MemoryJournal

    package init(_ journal: MemoryJournal) {
        self.journal = journal
    }

    public func head() -> Head { journal.head }

    public func read(from position: Position, events: Int, bytes: Int) -> [Entry] {
        journal.entries(from: position, events: events, bytes: bytes)
    }

    public func hash(at position: Position) -> [UInt8]? { journal.hash(at: position) }

    public func history(from first: Position, through last: Checkpoint) -> [Entry] {
        guard first <= last.position, hash(at: last.position) == last.hash else { return [] }
        return read(from: first, events: Int(clamping: last.position - first) + 1, bytes: .max)
    }

    public func position(of id: UUID) -> Position? { journal.storedPosition(of: id) }
}
