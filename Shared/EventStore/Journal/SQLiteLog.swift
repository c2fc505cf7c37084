public import EventSourcing
import SQLite
import System
public import Vocabulary
import Wire

/// A journal in one SQLite file: the default engine.
///
/// Staged events wait in memory, so that a refusal has nothing to undo; `commit` writes them in one transaction with
/// one sync (WAL, synchronous=FULL). This connection alone writes and checkpoints the file.
public final class SQLiteLog: EventLog {
    /// The journal's file within its folder.
    public static let fileName = "journal.db"

    public let path: String
    private var file: JournalFile?
    private var staging: Staging
    /// Why nothing more is taken: a failure, or that the log was closed.
    private var broken: LogFailure?
    /// About how many pages the WAL has that are not in the database yet. What a life before this one left there,
    /// nobody counts: the first idle moment moves it, so that it does not add up.
    private var walPages = StoreLimits.walPagesIdle
    /// A run that is in its segment from the next commit on.
    private var sealing: SealedRun?
    /// A sealed run that is without what was let go of it from the next commit on.
    private var pruning: PrunedRun?

    /// Opens the journal in a folder that is there.
    public convenience init(
        directory: String, feed: String, why: String, at now: Instant, chance: RandomSource = .system
    ) throws(LogFailure) {
        try self.init(path: "\(directory)/\(Self.fileName)", feed: feed, why: why, at: now, chance: chance)
    }

    /// Opens the journal of the origin `feed`, or makes a new one that begins with `EpochBegan(why: why)`, committed.
    ///
    /// Fails when another writer has it, when it is another origin's or a newer Furrow's, and when its last entries
    /// don't fit the chain.
    public init(
        path: String, feed: String, why: String, at now: Instant, chance: RandomSource = .system
    ) throws(LogFailure) {
        let origin = try JournalFormat.origin(of: feed)
        self.path = path
        let database = try storing("open") { () throws(SQLiteError) in try Database(path: path, mode: .writer) }
        if try JournalTables.areMissing(in: database) {
            (file, staging) = try JournalTables.create(in: database, of: origin, why: why, at: now, chance: chance)
        } else {
            (file, staging) = try JournalTables.open(database, of: origin, chance: chance)
            try file?.settlePruned(in: SegmentDirectory(ofJournal: path))
        }
    }

    /// Lays out the WAL for a writer that stays: a sync of a file that does not grow takes a fraction of the time.
    ///
    /// What SQLite did not write there is no frame to it. Where the disk is nearly full the WAL grows as it is needed.
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
            if staging.bytes > StoreLimits.stagedBytes { try spill(into: file) }
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
        walPages += 4 + staging.versions.count / 16 + staging.answers.count + pagesOfEvents
        try noting { () throws(LogFailure) in
            try storing("commit") { () throws(SQLiteError) in
                try file.write(staging.events)
                try file.commit(
                    versions: staging.versions, answers: staging.answers, sealing: sealing, pruning: pruning)
            }
        }
        staging.forgetAll()
        sealing = nil
        if let run = pruning {
            pruning = nil
            try SegmentDirectory(ofJournal: path).replace(run.positions)
        }
        if walPages >= StoreLimits.walPagesBusy { checkpointAfterCommit() }
    }

    public func reader() throws(LogFailure) -> any LogReader {
        _ = try opened()
        return try SQLiteReader(path: path)
    }

    /// Begins a new epoch after everything there is, committed: after a restore from a backup, whose lost end may have
    /// been read by others, or after the clock was accepted.
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

    /// For when there is nothing else to do: moves a grown WAL into the database.
    public func idle() throws(LogFailure) {
        _ = try opened()
        guard walPages >= StoreLimits.walPagesIdle, staging.isEmpty else { return }
        checkpointAfterCommit()
        if let broken { throw broken }
    }

    /// Ends the log: what is staged is dropped, the WAL is emptied unless a reader still needs it.
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

// What leaves the file for a segment.
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
                message: "\(positions.lowerBound)–\(positions.upperBound) is not what comes next in this journal")
        }
        sealing = run
    }

    public func prune(_ run: PrunedRun) throws(LogFailure) {
        guard run.hasFile else { return }
        let file = try opened()
        guard run.feed == staging.origin.description, pruning == nil,
            try noting({ () throws(LogFailure) in
                try storing("find a segment") { () throws(SQLiteError) in try file.isSealed(run) }
            })
        else {
            throw LogFailure(
                operation: "let go", message: "\(run.positions) is no segment of this journal, or pruned already")
        }
        pruning = run
    }

    public func dropSealed() throws(LogFailure) -> Bool {
        let file = try opened()
        guard file.holdsSealed, staging.isEmpty else { return false }
        try noting { () throws(LogFailure) in
            try storing("drop sealed entries") { () throws(SQLiteError) in try file.dropSealed() }
        }
        // Each id goes to a random place of its index.
        walPages += StoreLimits.rowsDropped
        return file.holdsSealed
    }
}

extension SQLiteLog {
    private func opened() throws(LogFailure) -> JournalFile {
        if let broken { throw broken }
        guard let file else { throw LogFailure(operation: "use", message: "the log is closed") }
        return file
    }

    /// A failure is final: nobody knows what the disk holds, so nothing more is taken.
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

    /// About how many pages the staged events change: full ones of their bytes, and one of the index for each id that
    /// goes to a random place.
    private var pagesOfEvents: Int { staging.bytes / 3_000 + staging.scattered }

    private func spill(into file: JournalFile) throws(LogFailure) {
        walPages += pagesOfEvents
        try noting { () throws(LogFailure) in
            try storing("stage") { () throws(SQLiteError) in try file.write(staging.events) }
        }
        staging.forgetEvents()
    }

    /// The commit before it holds whatever happens here; a failure is told by the next call.
    private func checkpointAfterCommit() {
        guard let file else { return }
        do throws(SQLiteError) {
            // Pages that a reader still needs stay; then it is tried again after as many more.
            _ = try file.checkpoint(truncate: false)
            walPages = 0
        } catch {
            if !error.isBusy { _ = fail(LogFailure("checkpoint", error)) }
        }
    }
}
