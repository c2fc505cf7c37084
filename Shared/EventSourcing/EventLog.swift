public import Vocabulary

/// The events and the stored response that are appended together, or not at all.
public struct Commit: Sendable {
    /// The events, in order. Those that consume a feed include the `FeedConsumed` checkpoint event.
    public var drafts: [Draft]
    /// The response to store under an idempotency key, if a request led to the commit.
    public var answer: (key: IdempotencyKey, answer: Response)?

    /// Creates a commit.
    public init(_ drafts: [Draft], answer: (key: IdempotencyKey, answer: Response)? = nil) {
        self.drafts = drafts
        self.answer = answer
    }
}

/// The result of staging one draft.
public enum Staged: Sendable, Equatable {
    /// The draft became this entry. The envelope is nil if the bytes say less than the draft: a number is not finite,
    /// or a value is nested too deep. Then only the bytes count.
    case written(Entry, Envelope?)
    /// The journal already has an event of the same id; nothing was written for this draft.
    case known(Position)
}

/// Why an append was refused. Nothing of the commit is staged.
public enum AppendRefusal: Error, Equatable, Sendable {
    /// The stream's version is not the expected one.
    case conflict(stream: String, version: Int)
    /// An event is larger than `EventLimits.eventBytes`, or a commit larger than `EventLimits.decisionEvents`.
    case tooLarge(stream: String, bytes: Int)
}

/// A failure of the storage. After a failed `commit` the contents of the disk are unknown, so the process exits and
/// recovers on its next start.
public struct LogFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The operation that failed.
    public let operation: String
    /// The storage's message.
    public let message: String
    /// Whether the disk is full. The service then refuses new commands and continues to serve reads.
    public let isFull: Bool
    /// Whether the storage could not be reached or its reply not understood. Its contents may be intact.
    public let isAway: Bool

    /// Creates a failure.
    public init(operation: String, message: String, isFull: Bool = false, isAway: Bool = false) {
        self.operation = operation
        self.message = message
        self.isFull = isFull
        self.isAway = isAway
    }

    public var description: String { "\(operation): \(message)" }
}

/// Why `stage` failed.
public enum StageError: Error, Equatable, Sendable {
    case refused(AppendRefusal)
    case failed(LogFailure)
}

/// The append-only log of one service instance, its only writer. One thread owns it; other threads use a `LogReader`.
///
/// `stage` assigns positions and bytes at once, so that the next decision sees them. `commit` makes everything staged
/// durable with one sync. A caller must publish or acknowledge nothing before `commit` returns.
///
/// ```
/// let staged = try log.stage(Commit([draft], answer: (key, response)), at: now)
/// try log.commit()  // one fsync for everything staged since the last commit
/// ```
public protocol EventLog: AnyObject {
    /// The head, including everything staged.
    var head: Head { get }
    /// Returns the version of a stream, including everything staged: its number of events, 0 for an unknown stream.
    func version(of stream: String) throws(LogFailure) -> Int
    /// Returns the stored response for a command, including everything staged.
    func recall(_ key: IdempotencyKey) throws(LogFailure) -> IdempotencyLookup
    /// Stages a commit, all or nothing: if it throws, no draft of the commit is staged.
    func stage(_ commit: Commit, at now: Instant) throws(StageError) -> [Staged]
    /// Makes everything staged durable with one sync. A failure is final: the log accepts nothing afterwards.
    func commit() throws(LogFailure)
    /// Returns a reader of the committed entries, for another thread.
    func reader() throws(LogFailure) -> any LogReader
    /// Begins and commits a new epoch after the current head.
    ///
    /// - Parameter resettingTime: whether recorded times continue at `now` even if earlier ones are later; otherwise
    ///   they continue after the latest one.
    func beginEpoch(why: String, at now: Instant, resettingTime: Bool) throws(LogFailure)
}

/// A reader of a log's committed entries. One thread owns it.
public protocol LogReader: AnyObject {
    /// Returns the head of the committed entries.
    func head() throws(LogFailure) -> Head
    /// Returns entries from `position` on, at most `events` and about `bytes`; at least one if there is any.
    func read(from position: Position, events: Int, bytes: Int) throws(LogFailure) -> [Entry]
    /// Returns the same entries in the encoding of a page, at most `events` and as many as fit into one page.
    func pack(from position: Position, events: Int) throws(LogFailure) -> PackedEntries
    /// Returns the chain hash at a position, or nil if the journal does not reach it. At 0 it is the chain's start.
    func hash(at position: Position) throws(LogFailure) -> [UInt8]?
    /// Returns the position of the event with this id, or nil if there is none.
    func position(of id: UUID) throws(LogFailure) -> Position?
}

extension LogReader {
    /// Reads the entries and encodes them; a store with a direct path implements this itself.
    public func pack(from position: Position, events: Int) throws(LogFailure) -> PackedEntries {
        PackedEntries(
            try read(from: position, events: min(events, EventLimits.pageEvents), bytes: EventLimits.pageBytes))
    }
}

/// The hub: a log that also mirrors the journals of other origins, all in one total order.
public protocol MirrorLog: EventLog {
    /// Returns the mirrored head of each origin.
    func feeds() -> [Head]
    /// Stages the entries of a page directly after the mirrored head of its feed. Entries at or below the head are
    /// skipped.
    func take(_ page: Page) throws(MirrorRefusal)
    /// Stages the removal of the bytes of a feed's entries, after the origin has recorded that it pruned them.
    ///
    /// Positions, ids and hashes remain, in the mirror and in the hub's order. Positions already pruned are skipped.
    func prune(_ feed: String, _ positions: [Position]) throws(LogFailure)
    /// The head of the hub's total order, including everything staged.
    var hubHead: Head { get }
    /// Returns a reader of the hub's total order, for another thread.
    func hubReader() throws(LogFailure) -> any LogReader
    /// Returns a reader of one mirrored origin, for another thread.
    func originReader(_ feed: String) throws(LogFailure) -> any MirrorReader
    /// Continues to mirror a feed from an earlier position, after an operator accepted that the origin was restored to
    /// it.
    ///
    /// Durable when it returns. Entries that were mirrored after that position remain in the hub.
    func accept(_ feed: String, keptTo position: Position, hash: [UInt8]) throws(MirrorRefusal)
}

/// A reader of one mirrored origin.
public protocol MirrorReader: LogReader {
    /// Returns the entries from `first` through `last`, in the branch of the feed that contains `last`.
    ///
    /// It also finds a branch that was replaced later by `accept`. Empty if no such entry was ever mirrored.
    func history(from first: Position, through last: Checkpoint) throws(LogFailure) -> [Entry]
}

/// Why a page cannot be mirrored.
public enum MirrorRefusal: Error, Equatable, Sendable {
    /// Entries are missing before this position.
    case hole(Position)
    /// The chain hash at this position does not follow from the mirrored entries.
    case diverged(Position)
    case failed(LogFailure)
}
