public import EventSourcing
public import EventStore
import Postgres
public import Vocabulary
import Wire

/// The hub in PostgreSQL: the ledger's own journal and the mirrored journals of all other origins, in one total order.
///
/// Every event has a position and chain hash in its origin's journal, another pair in the hub, and a leaf in the Merkle
/// tree. The only writer assigns positions in memory; an advisory lock excludes a second writer. Staged events are
/// buffered in memory. `commit` writes them, the tree's tiles and changed rows of the attached tables in one
/// transaction with one sync.
///
/// ```
/// let log = try HubLog(conninfo, feed: "trace-ledger/farm-0", why: "created", at: clock.now())
/// try log.take(page)  // a page of another origin's journal
/// try log.commit()
/// ```
public final class HubLog: MirrorLog {
    private let conninfo: String
    private let session: PostgresSession
    private let journal: HubJournal
    private var staging: Staging
    private var hub: HubStaging
    /// The number of staged own events that are staged in the hub, too.
    private var placed = 0
    /// The Merkle tree over the committed entries.
    private var committed: MerkleTiles
    private var tables: PostgresTables?
    /// The last committed position of the own journal.
    private var kept: Position
    /// The first failure, after which the log accepts nothing.
    private var broken: LogFailure?

    /// Opens the hub of the ledger with the origin `feed`, or creates one whose journal begins with the committed
    /// `EpochBegan(why: why)`.
    ///
    /// Waits up to `patience` seconds for the previous writer to release its lock. Throws if
    /// - the lock is not released,
    /// - the server does not sync commits,
    /// - the hub belongs to another origin, or a newer version of Furrow wrote it,
    /// - its last entries contradict the chains, the tree or the last checkpoint.
    ///
    /// - Parameter conninfo: the libpq connection string of a database that contains nothing else.
    public init(
        _ conninfo: String, feed: String, why: String, at now: Instant, patience: Int = 10,
        chance: RandomSource = .system
    ) throws(LogFailure) {
        let opened = try HubOpener(conninfo, feed: feed, at: now, patience: patience, chance: chance)
        self.conninfo = conninfo
        session = opened.session
        journal = HubJournal(opened.session)
        (staging, hub) = (opened.staging, opened.hub)
        committed = opened.hub.tree
        kept = opened.staging.position
        if opened.isNew {
            let commit = JournalFormat.beginning(previous: nil, keptTo: 0, keptHash: nil, why: why, of: staging.origin)
            try stageOwn(commit, at: now)
            try self.commit()
        }
    }

    public var head: Head { staging.head }

    public var hubHead: Head { hub.head }

    public func feeds() -> [Head] {
        hub.feeds.values.map(\.head).sorted { BinaryString($0.feed) < BinaryString($1.feed) }
    }

    /// The size and root of the Merkle tree over the committed entries, which may be signed.
    public var tree: (size: UInt64, root: [UInt8]) { (committed.size, committed.root) }

    public func version(of stream: String) throws(LogFailure) -> Int {
        try noting { () throws(LogFailure) in try staging.version(of: BinaryString(stream), over: journal) }
    }

    public func recall(_ key: IdempotencyKey) throws(LogFailure) -> IdempotencyLookup {
        try noting { () throws(LogFailure) in try staging.recall(key, over: journal) }
    }

    public func stage(_ commit: Commit, at now: Instant) throws(StageError) -> [Staged] {
        do throws(LogFailure) {
            try noting { () throws(LogFailure) in try spillIfLarge() }
        } catch {
            throw .failed(error)
        }
        let outcome = try staging.stage(commit, at: now, over: journal)
        let fresh = staging.events[placed...].map { HubEvent(id: $0.id, epoch: staging.epoch, entry: $0.entry) }
        hub.add(fresh, of: staging.origin.description)
        placed = staging.events.count
        return outcome
    }

    public func commit() throws(LogFailure) {
        if let failure = broken ?? journal.failure { throw failure }
        guard !staging.isEmpty || !hub.isEmpty || session.isHeldByLog else { return }
        try noting { () throws(LogFailure) in
            let (versions, answers) = (staging.versions, staging.answers)
            let changed = try tables?.takeCalls(from: kept, to: staging.position) ?? []
            try asking("commit") { () throws(PostgresError) in
                try journal.commit(hub.takeRows(), hub.takeCalls() + changed, versions: versions, answers: answers)
            }
        }
        staging.forgetAll()
        placed = 0
        kept = staging.position
        committed = hub.tree
    }

    public func reader() throws(LogFailure) -> any LogReader {
        try originReader(staging.origin.description)
    }

    public func hubReader() throws(LogFailure) -> any LogReader {
        try HubReader(conninfo)
    }

    public func originReader(_ feed: String) throws(LogFailure) -> any MirrorReader {
        try OriginReader(conninfo, feed: feed)
    }

    /// Returns view tables whose changes are committed together with this log.
    public func tables(_ schemas: [TableSchema]) throws(LogFailure) -> PostgresTables {
        let made = try noting { () throws(LogFailure) in try PostgresTables(session, schemas) }
        tables = made
        return made
    }

    /// Begins and commits a new epoch of the ledger's journal and of the hub, after their current heads.
    ///
    /// It is needed after a restore from a backup, because other services may have read the lost end, and after an
    /// operator accepted the clock. Both get the same epoch, so the journal's `EpochBegan` records the hub's epoch,
    /// too.
    public func beginEpoch(why: String, at now: Instant, resettingTime: Bool = false) throws(LogFailure) {
        try commit()
        let head = staging.head
        staging.begin(staging.inventEpoch(), resettingTime: resettingTime)
        hub.begin(staging.epoch)
        let epoch = hub.epoch
        try noting { () throws(LogFailure) in
            try asking("begin an epoch") { () throws(PostgresError) in
                try session.begin()
                try session.connection.run("UPDATE hub.meta SET epoch = $1", [.epoch(epoch)])
            }
        }
        try stageOwn(
            JournalFormat.beginning(
                previous: head.epoch, keptTo: head.position, keptHash: head.hash, why: why, of: staging.origin),
            at: now)
        try commit()
    }

    /// Stages an event that the journal records about itself. A refusal would be a programming error.
    private func stageOwn(_ commit: Commit, at now: Instant) throws(LogFailure) {
        do throws(StageError) {
            _ = try stage(commit, at: now)
        } catch {
            broken = broken ?? LogFailure(operation: "begin an epoch", message: "\(error)")
            throw broken ?? LogFailure(operation: "begin an epoch", message: "refused")
        }
    }
}

// Entries of other origins.
extension HubLog {
    public func take(_ page: Page) throws(MirrorRefusal) {
        do throws(LogFailure) {
            try noting { () throws(LogFailure) in try spillIfLarge() }
        } catch {
            throw .failed(error)
        }
        let events = try MirrorAdmission.fresh(in: page, after: hub.feed(page.head.feed), own: staging.origin)
        hub.add(events, of: page.head.feed)
    }

    /// Prunes in the open transaction, after writing everything staged to it.
    public func prune(_ feed: String, _ positions: [Position]) throws(LogFailure) {
        try noting { () throws(LogFailure) in
            guard let known = hub.feed(feed), known.number != HubSchema.ownFeed, let last = positions.max(),
                last <= known.position
            else { throw LogFailure(operation: "prune", message: "\(feed) is not mirrored that far") }
            try spill()
            try asking("prune") { () throws(PostgresError) in try journal.prune(known.number, positions) }
        }
    }

    /// Continues to mirror a feed from an earlier position, after an operator accepted that the origin was restored to
    /// it.
    ///
    /// The next page must continue after `position`. Entries mirrored after it remain in the hub, but readers of the
    /// feed skip them. Throws if the feed has no entry with this position and hash.
    public func accept(_ feed: String, keptTo position: Position, hash: [UInt8]) throws(MirrorRefusal) {
        guard let known = hub.feed(feed), feed != staging.origin.description, position > 0, position <= known.position
        else {
            throw .hole(position)
        }
        let isKnown: Bool
        do throws(LogFailure) {
            try commit()
            isKnown = try holds(known, hash, at: position)
            if isKnown {
                hub.rewind(feed, to: position, hash: hash)
                try commit()
            }
        } catch {
            throw .failed(error)
        }
        guard isKnown else { throw .diverged(position) }
    }

    private func holds(_ feed: HubFeed, _ hash: [UInt8], at position: Position) throws(LogFailure) -> Bool {
        let rows = try noting { () throws(LogFailure) in
            try asking("look up a hash") { () throws(PostgresError) in
                try session.connection.query(
                    OriginReader.findHash, [.integer(Int64(feed.number)), .integer(Int64(clamping: position))])
            }
        }
        return rows.first?.first == .bytes(hash)
    }

    /// Stores a signed checkpoint of the committed tree, durably. A checkpoint of a size that already has one is
    /// dropped.
    ///
    /// Throws for a checkpoint of another tree, a caller's error after which the log still works.
    public func publish(checkpoint note: String, size: UInt64) throws(LogFailure) {
        if let failure = broken ?? journal.failure { throw failure }
        guard !session.isOpen else { throw LogFailure(operation: "publish", message: "commit what is staged first") }
        let text: LogCheckpoint?
        do throws(SignedNote.Refusal) {
            text = LogCheckpoint(try SignedNote(note).text)
        } catch {
            throw LogFailure(operation: "publish", message: "\(error)")
        }
        let root = size == committed.size ? committed.root : try HubReader(conninfo).root(size: size)
        guard let text, text.size == size, size <= committed.size, text.root == root else {
            throw LogFailure(operation: "publish", message: "the checkpoint is not of this tree")
        }
        try noting { () throws(LogFailure) in
            try asking("publish") { () throws(PostgresError) in
                try session.connection.run(
                    "INSERT INTO hub.checkpoint(size, note) VALUES ($1, $2) ON CONFLICT (size) DO NOTHING",
                    [.integer(Int64(clamping: size)), .text(note)])
            }
        }
    }
}

extension HubLog {
    /// Runs `body` and records its failure, which is final, because the contents of the server are unknown after it.
    private func noting<Result>(_ body: () throws(LogFailure) -> Result) throws(LogFailure) -> Result {
        if let failure = broken ?? journal.failure { throw failure }
        do throws(LogFailure) {
            return try body()
        } catch {
            broken = error
            throw error
        }
    }

    /// Writes what is staged to the open transaction if it exceeds `StoreLimits.stagedBytes`.
    private func spillIfLarge() throws(LogFailure) {
        if hub.bytes > StoreLimits.stagedBytes { try spill() }
    }

    private func spill() throws(LogFailure) {
        try asking("stage") { () throws(PostgresError) in try journal.write(hub.takeRows()) }
        staging.forgetEvents()
        placed = 0
    }
}
