public import EventSourcing
public import EventStore
import Postgres
public import Vocabulary
import Wire

/// The hub in PostgreSQL: the ledger's own journal, and the journals of all other origins in one order with it.
///
/// Every event has a place in its origin's journal and one in the hub, each with its chain, and a leaf in the Merkle
/// tree. Positions are given here, in memory, by the only writer; an advisory lock keeps a second one out. Staged
/// events wait in memory; `commit` writes them, the tree's tiles and the changed rows of the attached tables in one
/// transaction with one sync.
public final class HubLog: MirrorLog {
    private let conninfo: String
    private let session: PostgresSession
    private let journal: HubJournal
    private var staging: Staging
    private var hub: HubStaging
    /// How many of the staged own events have their place in the hub.
    private var placed = 0
    /// The Merkle tree as it is committed.
    private var committed: MerkleTiles
    private var tables: PostgresTables?
    /// The own position that is committed.
    private var kept: Position
    /// Why nothing more is taken.
    private var broken: LogFailure?

    /// Opens the hub of the ledger with the origin `feed`, or makes a new one whose journal begins with
    /// `EpochBegan(why: why)`, committed.
    ///
    /// Waits up to `patience` seconds for the writer before it to be gone. Fails when there is another one, when the
    /// server would not sync a commit, when the hub is another origin's or a newer Furrow's, and when its last entries
    /// don't fit the chains, the tree or the last checkpoint.
    ///
    /// - Parameter conninfo: a keyword string of libpq for a database of its own.
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

    /// The Merkle tree over every committed entry: what may be signed.
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

    /// The tables of the views beside this log; what changes in them is committed with it.
    public func tables(_ schemas: [TableSchema]) throws(LogFailure) -> PostgresTables {
        let made = try noting { () throws(LogFailure) in try PostgresTables(session, schemas) }
        tables = made
        return made
    }

    /// Begins a new epoch of the ledger's journal and of the hub after everything there is, committed: after a restore
    /// from a backup, whose lost end may have been read by others, or after the clock was accepted. Both have one
    /// number from then on: so the journal tells the hub's, too.
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

    /// What the journal says of itself; a refusal would be a mistake in the code.
    private func stageOwn(_ commit: Commit, at now: Instant) throws(LogFailure) {
        do throws(StageError) {
            _ = try stage(commit, at: now)
        } catch {
            broken = broken ?? LogFailure(operation: "begin an epoch", message: "\(error)")
            throw broken ?? LogFailure(operation: "begin an epoch", message: "refused")
        }
    }
}

// What others have written.
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

    /// Waits in the open transaction and not in memory, behind all that is staged.
    public func prune(_ feed: String, _ positions: [Position]) throws(LogFailure) {
        try noting { () throws(LogFailure) in
            guard let known = hub.feed(feed), known.number != HubSchema.ownFeed, let last = positions.max(),
                last <= known.position
            else { throw LogFailure(operation: "let go", message: "\(feed) is not mirrored that far") }
            try spill()
            try asking("let go") { () throws(PostgresError) in try journal.prune(known.number, positions) }
        }
    }

    /// Follows a feed from an earlier place on, after people have accepted that it was restored to there: the next page
    /// taken begins behind `position`. What was mirrored behind it stays in the hub and in no reader of the feed.
    public func accept(_ feed: String, keptTo position: Position, hash: [UInt8]) throws(MirrorRefusal) {
        guard let known = hub.feed(feed), feed != staging.origin.description, position > 0, position <= known.position
        else {
            throw .hole(position)
        }
        let isHeld: Bool
        do throws(LogFailure) {
            try commit()
            isHeld = try holds(known, hash, at: position)
            if isHeld {
                hub.rewind(feed, to: position, hash: hash)
                try commit()
            }
        } catch {
            throw .failed(error)
        }
        guard isHeld else { throw .diverged(position) }
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

    /// Keeps a signed checkpoint of the committed tree, durable at once; a checkpoint of a size that has one is
    /// dropped.
    ///
    /// Fails for a checkpoint that is not of this tree, which is a mistake of the caller and breaks nothing.
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
    /// A failure is final: nobody knows what the server holds, so nothing more is taken.
    private func noting<Result>(_ body: () throws(LogFailure) -> Result) throws(LogFailure) -> Result {
        if let failure = broken ?? journal.failure { throw failure }
        do throws(LogFailure) {
            return try body()
        } catch {
            broken = error
            throw error
        }
    }

    /// What is staged goes into the open transaction when it is too much to hold.
    private func spillIfLarge() throws(LogFailure) {
        if hub.bytes > StoreLimits.stagedBytes { try spill() }
    }

    private func spill() throws(LogFailure) {
        try asking("stage") { () throws(PostgresError) in try journal.write(hub.takeRows()) }
        staging.forgetEvents()
        placed = 0
    }
}
