public import EventSourcing
import SQLite
import System
public import Vocabulary
import Wire

/// A journal in one SQLite file: the default engine.
///
/// Staged events are buffered in memory, so that a refused commit needs no rollback. `commit` writes them in one
/// transaction with one sync (WAL, synchronous=FULL). A replica replicates them first, and is synced at checkpoints.
/// No other connection writes or checkpoints the file.
///
/// ```
/// let log = try SQLiteLog(directory: folder, feed: "sensor-ingest/farm-0", why: "created", at: clock.now())
/// _ = try log.stage(Commit([draft]), at: clock.now())
/// try log.commit()
/// ```
public final class SQLiteLog: EventLog {
    /// The name of the journal's file in its service's folder.
    public static let fileName = "journal.db"

    /// The path of the journal's file.
    public let path: String
    private var file: JournalFile?
    private var staging: Staging
    /// Why the log accepts nothing more: its first failure, or that it was closed.
    private var broken: LogFailure?
    /// An estimate of the WAL pages that are not checkpointed yet.
    ///
    /// Its initial value makes the first idle call checkpoint what an earlier process left in the WAL.
    private var walPages = StoreLimits.walPagesIdle
    /// The segment that the next commit records.
    private var sealing: SealedRun?
    /// The pruned segment that the next commit records in place of the sealed one.
    private var pruning: PrunedRun?
    /// Where commits become durable before they are in the file; nil if the file itself is synced.
    private let replication: (any JournalReplication)?

    /// Opens or creates the journal in an existing folder.
    public convenience init(
        directory: String, feed: String, why: String, at now: Instant, chance: RandomSource = .system
    ) throws(LogFailure) {
        try self.init(path: "\(directory)/\(Self.fileName)", feed: feed, why: why, at: now, chance: chance)
    }

    /// Opens the journal of the origin `feed`, or creates one whose first, committed entry is `EpochBegan(why: why)`.
    ///
    /// Throws if
    /// - another process has it open for writing,
    /// - it belongs to another origin, or a newer version of Furrow wrote it,
    /// - its last entries break the chain.
    public init(
        path: String, feed: String, why: String, at now: Instant, chance: RandomSource = .system
    ) throws(LogFailure) {
        let origin = try JournalFormat.origin(of: feed)
        self.path = path
        replication = nil
        let database = try storing("open") { () throws(SQLiteError) in try Database(path: path, mode: .writer) }
        if let mark = try ReplicaMark.find(in: database) { throw Self.refusal(of: mark) }
        if try JournalTables.areMissing(in: database) {
            (file, staging) = try JournalTables.create(in: database, of: origin, why: why, at: now, chance: chance)
        } else {
            (file, staging) = try JournalTables.open(database, of: origin, chance: chance)
            try file?.settlePruned(in: SegmentDirectory(ofJournal: path))
        }
    }

    /// Opens a replica, whose commits become durable by `replication`. The file is synced at checkpoints only.
    package init(replica path: String, feed: String, replication: any JournalReplication) throws(LogFailure) {
        let origin = try JournalFormat.origin(of: feed)
        self.path = path
        self.replication = replication
        let database = try storing("open") { () throws(SQLiteError) in try Database(path: path, mode: .cache) }
        (file, staging) = try JournalTables.open(database, of: origin, chance: .system)
        try file?.settlePruned(in: SegmentDirectory(ofJournal: path))
    }

    private static func refusal(of mark: ReplicaMark) -> LogFailure {
        LogFailure(
            operation: "open",
            message: "this journal is in the cluster (\(mark.log)): set FURROW_CLUSTER, or run 'furrow cluster leave'")
    }

    /// Preallocates the WAL file, because syncing a file that does not grow takes a fraction of the time.
    ///
    /// SQLite ignores the preallocated bytes, which are not valid WAL frames. Nothing happens if the disk is nearly
    /// full.
    public func reserve() {
        _ = Result { () throws(SystemError) in
            let wal = "\(path)-wal"
            guard File.exists(wal), try DiskSpace(of: wal).free >= StoreLimits.freeBytesToReserve else { return }
            try File.reserve(wal, bytes: StoreLimits.walBytesReserved)
        }
    }

    public var head: Head { staging.head }

    public func version(of stream: String) throws(LogFailure) -> Int {
        let file = try opened()
        return try noting { () throws(LogFailure) in try staging.version(of: BinaryString(stream), over: file) }
    }

    public func recall(_ key: IdempotencyKey) throws(LogFailure) -> IdempotencyLookup {
        let file = try opened()
        return try noting { () throws(LogFailure) in try staging.recall(key, over: file) }
    }

    public func stage(_ commit: Commit, at now: Instant) throws(StageError) -> [Staged] {
        let file: JournalFile
        do throws(LogFailure) {
            file = try opened()
            // What is replicated must stay in memory until the commit.
            if staging.bytes > StoreLimits.stagedBytes, replication == nil { try spill(into: file) }
        } catch {
            throw .failed(error)
        }
        do throws(StageError) {
            return try staging.stage(commit, at: now, over: file)
        } catch {
            if let failure = file.failure { _ = fail(failure) }
            throw error
        }
    }

    public func commit() throws(LogFailure) {
        let file = try opened()
        guard !staging.isEmpty || sealing != nil || pruning != nil else { return }
        let sequence = try noting { () throws(LogFailure) in try replicate() }
        walPages += 4 + staging.versions.count / 16 + staging.answers.count + pagesOfEvents
        try noting { () throws(LogFailure) in
            try storing("commit") { () throws(SQLiteError) in
                try file.write(staging.events)
                try file.commit(
                    versions: staging.versions, answers: staging.answers, sealing: sealing, pruning: pruning,
                    sequence: sequence)
            }
        }
        staging.forgetAll()
        sealing = nil
        if let run = pruning {
            pruning = nil
            if run.hasFile { try SegmentDirectory(ofJournal: path).replace(run.positions) }
            try noting { () throws(LogFailure) in try replication?.removeEvents(through: run.positions.upperBound) }
        }
        if walPages >= StoreLimits.walPagesBusy { checkpointAfterCommit() }
    }

    public func reader() throws(LogFailure) -> any LogReader {
        _ = try opened()
        return try SQLiteReader(path: path)
    }

    /// Begins and commits a new epoch after the current head.
    ///
    /// It is needed after a restore from a backup, because other services may have read the lost end, and after an
    /// operator accepted the clock.
    public func beginEpoch(why: String, at now: Instant, resettingTime: Bool = false) throws(LogFailure) {
        let file = try opened()
        try commit()
        let head = staging.head
        let beginning = JournalFormat.beginning(
            previous: head.epoch, keptTo: head.position, keptHash: head.hash, why: why, of: staging.origin)
        staging.begin(staging.inventEpoch(), resettingTime: resettingTime)
        try noting { () throws(LogFailure) in
            try storing("begin an epoch") { () throws(SQLiteError) in try file.setEpoch(staging.epoch) }
        }
        do throws(StageError) {
            _ = try stage(beginning, at: now)
        } catch {
            throw fail(LogFailure(operation: "begin an epoch", message: "\(error)"))
        }
        try commit()
    }

    /// Checkpoints a grown WAL and frees the cached pages. Call it when the service has nothing else to do.
    public func idle() throws(LogFailure) {
        let file = try opened()
        guard walPages >= StoreLimits.walPagesIdle, staging.isEmpty else { return }
        checkpointAfterCommit()
        file.releaseMemory()
        if let broken { throw broken }
    }

    /// Closes the log. Staged events are dropped; the WAL is emptied unless a reader still uses it.
    public func close() throws(LogFailure) {
        guard let file else { return }
        let isSound = broken == nil
        broken = broken ?? LogFailure(operation: "use", message: "the log is closed")
        self.file = nil
        staging.forgetAll()
        guard isSound else { return }
        do throws(SQLiteError) {
            _ = try file.checkpoint(truncate: true)
        } catch {
            if !error.isBusy { throw LogFailure("close", error) }
        }
    }
}

// Sealing and pruning.
extension SQLiteLog: SealingLog {
    public func hand(over run: SealedRun) throws(LogFailure) {
        let file = try opened()
        let positions = run.head.positions
        guard run.head.feed == staging.origin.description, positions.lowerBound == file.sealedTo + 1, sealing == nil,
            try noting({ () throws(LogFailure) in
                try storing("read a hash") { () throws(SQLiteError) in try file.hash(at: positions.upperBound) }
            }) == run.head.after
        else {
            throw LogFailure(
                operation: "seal",
                message: "\(positions.lowerBound)–\(positions.upperBound) is not the next run of this journal")
        }
        sealing = run
    }

    public func prune(_ run: PrunedRun) throws(LogFailure) {
        // A replicated log gets the segment also if nothing in it was pruned, so that its segments have no gap.
        guard run.hasFile || replication != nil else { return }
        let file = try opened()
        guard run.feed == staging.origin.description, pruning == nil,
            try noting({ () throws(LogFailure) in
                try storing("find a segment") { () throws(SQLiteError) in try file.isSealed(run) }
            })
        else {
            throw LogFailure(
                operation: "prune", message: "\(run.positions) is not a segment of this journal, or is pruned already")
        }
        pruning = run
    }

    public func dropSealed() throws(LogFailure) -> Bool {
        let file = try opened()
        guard file.hasSealedRows, staging.isEmpty else { return false }
        try noting { () throws(LogFailure) in
            try storing("drop sealed entries") { () throws(SQLiteError) in try file.dropSealed() }
        }
        // Ids are random, so each inserted id changes another page of the index.
        walPages += StoreLimits.rowsDropped
        return file.hasSealedRows
    }
}

// Replicas.
extension SQLiteLog {
    /// Makes what is staged durable in the replicated log. Returns the log's last sequence number; nil without a log.
    private func replicate() throws(LogFailure) -> Int64? {
        guard let replication, !staging.isEmpty else { return nil }
        var commits = staging.replicated
        if let run = pruning {
            guard let index = commits.firstIndex(where: { $0.events.contains { $0.id == run.id } }) else {
                throw LogFailure(operation: "prune", message: "the commit does not record \(run.positions)")
            }
            commits[index].segment = try run.replicated(in: SegmentDirectory(ofJournal: path))
        }
        return try replication.append(commits)
    }

    /// Removes the events of pruned segments from the replicated log. A writer that ended may have left them there.
    package func removePrunedFromLog() throws(LogFailure) {
        let last = PrunedRun.end(version: try version(of: PrunedRun.stream))
        if last > 0 { try replication?.removeEvents(through: last) }
    }

    /// Makes the segments of the runs that the journal has sealed and that its file does not name, and names them.
    package func recordSeals() throws(LogFailure) {
        let last = Position(try version(of: SealedRun.stream) * StoreLimits.sealEvents)
        while try opened().sealedTo < last {
            let first = try opened().sealedTo + 1
            let run = try SealedRun.make(
                first...(first + Position(StoreLimits.sealEvents) - 1), reading: try reader(),
                in: SegmentDirectory(ofJournal: path))
            try hand(over: run)
            try commit()
        }
    }
}

extension SQLiteLog {
    private func opened() throws(LogFailure) -> JournalFile {
        if let broken { throw broken }
        guard let file else { throw LogFailure(operation: "use", message: "the log is closed") }
        return file
    }

    /// Records the first failure. It is final, because the contents of the disk are unknown after it.
    private func fail(_ failure: LogFailure) -> LogFailure {
        if broken == nil { broken = failure }
        return failure
    }

    private func noting<Result>(_ body: () throws(LogFailure) -> Result) throws(LogFailure) -> Result {
        do throws(LogFailure) {
            return try body()
        } catch {
            throw fail(error)
        }
    }

    /// An estimate of the pages that the staged events change: those of their bytes, and an index page for each random
    /// id.
    private var pagesOfEvents: Int { staging.bytes / 3_000 + staging.scattered }

    private func spill(into file: JournalFile) throws(LogFailure) {
        walPages += pagesOfEvents
        try noting { () throws(LogFailure) in
            try storing("stage") { () throws(SQLiteError) in try file.write(staging.events) }
        }
        staging.forgetEvents()
    }

    /// Checkpoints the WAL. The commit before it is durable in any case, so the next call throws a failure of this one.
    private func checkpointAfterCommit() {
        guard let file else { return }
        do throws(SQLiteError) {
            // Pages that a reader still uses remain; the next attempt follows after as many new pages.
            _ = try file.checkpoint(truncate: false)
            walPages = 0
        } catch {
            if !error.isBusy { _ = fail(LogFailure("checkpoint", error)) }
        }
    }
}
