public import Vocabulary

/// What is written together: events, the foreign events they came from, and the answer to whoever asked.
public struct Commit: Sendable {
    public var drafts: [Draft]
    public var answer: (key: IdempotencyKey, answer: Response)?

    public init(_ drafts: [Draft], answer: (key: IdempotencyKey, answer: Response)? = nil) {
        self.drafts = drafts
        self.answer = answer
    }
}

/// Where a drafted event ended up.
public enum Staged: Sendable, Equatable {
    case written(Entry)
    /// An event of the same id is in the journal already; nothing was written for this draft.
    case known(Position)
}

/// An append was refused before anything of it was written.
public enum AppendRefusal: Error, Equatable, Sendable {
    /// The stream's version is not the expected one.
    case conflict(stream: String, version: Int)
    /// An event is larger than `EventLimits.eventBytes`, or a commit larger than `EventLimits.decisionEvents`.
    case tooLarge(stream: String, bytes: Int)
}

/// The storage failed. After a failed `commit` nobody knows what is on the disk: the process ends and recovers.
public struct LogFailure: Error, Equatable, Sendable, CustomStringConvertible {
    public let operation: String
    public let message: String
    /// The disk is full: refuse new commands, keep serving.
    public let isFull: Bool
    /// The storage could not be reached or understood just now, which says nothing of what it holds.
    public let isAway: Bool

    public init(operation: String, message: String, isFull: Bool = false, isAway: Bool = false) {
        self.operation = operation
        self.message = message
        self.isFull = isFull
        self.isAway = isAway
    }

    public var description: String { "\(operation): \(message)" }
}

/// Why `stage` gave nothing back.
public enum StageError: Error, Equatable, Sendable {
    case refused(AppendRefusal)
    case failed(LogFailure)
}

/// The append-only log that one service instance alone writes. One thread owns it; readers use a `LogReader`.
///
/// `stage` gives positions and bytes at once, so that the next decision sees them; `commit` makes everything staged
/// durable with one disk sync. Nothing may be told to anyone between the two.
public protocol EventLog: AnyObject {
    /// The head with everything staged.
    var head: Head { get }
    /// The version of a stream with everything staged: how many events it has; 0 for an unknown one.
    func version(of stream: String) throws(LogFailure) -> Int
    /// What was answered to a command, with everything staged.
    func recall(_ key: IdempotencyKey) throws(LogFailure) -> IdempotencyLookup
    /// All or nothing: on a refusal no draft of the commit is staged.
    func stage(_ commit: Commit, at now: Instant) throws(StageError) -> [Staged]
    /// One sync for everything staged. A failure is final.
    func commit() throws(LogFailure)
    /// Another view on the same journal, for another thread, that sees what is committed.
    func reader() throws(LogFailure) -> any LogReader
    /// Begins a new epoch after everything there is, committed.
    ///
    /// - Parameter resettingTime: whether its recorded times begin at `now` even where those before are later;
    ///   otherwise they go on behind them.
    func beginEpoch(why: String, at now: Instant, resettingTime: Bool) throws(LogFailure)
}

/// Reads committed entries; owned by one thread.
public protocol LogReader: AnyObject {
    func head() throws(LogFailure) -> Head
    /// Entries from `position` on, at most `events` of them and about `bytes` (at least one entry if there is any).
    func read(from position: Position, events: Int, bytes: Int) throws(LogFailure) -> [Entry]
    /// The same as a page that travels, at most `events` and as many as a page holds.
    func pack(from position: Position, events: Int) throws(LogFailure) -> PackedEntries
    /// The chain at a position, or nil if the journal doesn't reach it; at 0 the chain's beginning.
    func hash(at position: Position) throws(LogFailure) -> [UInt8]?
    /// The position of the event with this id.
    func position(of id: UUID) throws(LogFailure) -> Position?
}

extension LogReader {
    public func pack(from position: Position, events: Int) throws(LogFailure) -> PackedEntries {
        PackedEntries(
            try read(from: position, events: min(events, EventLimits.pageEvents), bytes: EventLimits.pageBytes))
    }
}

/// The hub: a log that also mirrors other origins' journals, all in one order.
public protocol MirrorLog: EventLog {
    /// How far each origin is mirrored.
    func feeds() -> [Head]
    /// Stages the entries of a page right behind what is mirrored of its feed. What is there already is ignored.
    func take(_ page: Page) throws(MirrorRefusal)
    /// Lets go the bytes of a feed's entries, with what is staged: its origin says that it has. Their places, ids and
    /// hashes stay, here and in the hub's order. What was let go before is ignored.
    func prune(_ feed: String, _ positions: [Position]) throws(LogFailure)
    /// The head of the hub itself, with everything staged.
    var hubHead: Head { get }
    /// Readers of the hub's order and of one mirrored origin, for other threads.
    func hubReader() throws(LogFailure) -> any LogReader
    func originReader(_ feed: String) throws(LogFailure) -> any MirrorReader
    /// Follows a feed from an earlier place on, after people have accepted that it was restored to there, durable at
    /// once. What was mirrored behind it stays in the hub.
    func accept(_ feed: String, keptTo position: Position, hash: [UInt8]) throws(MirrorRefusal)
}

/// Reads what the hub holds of one origin.
public protocol MirrorReader: LogReader {
    /// Entries from `first` on through that place, as they followed each other when it was read, even where following
    /// was taken back to an earlier place since. Empty if no such entry was ever mirrored.
    func history(from first: Position, through last: Checkpoint) throws(LogFailure) -> [Entry]
}

/// Why a page cannot be mirrored.
public enum MirrorRefusal: Error, Equatable, Sendable {
    /// An entry is missing before this position.
    case hole(Position)
    /// The chain at this position is not the one that follows from what is mirrored.
    case diverged(Position)
    case failed(LogFailure)
}
