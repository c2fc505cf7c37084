/// The position of an event in a journal: 1, 2, 3 … without a gap. 0 is before the first event.
public typealias Position = UInt64

/// One stored event of a journal. Its bytes are written once and never change.
public struct Entry: Sendable, Equatable {
    /// The entry's position in its journal.
    public let position: Position
    /// The chain hash including this event: SHA-256(hash before ‖ bytes), 32 bytes.
    public let hash: [UInt8]
    /// The event: a CloudEvent in JSON, at most 65,000 bytes. Empty if the event was pruned (``JournalPruned``).
    public let bytes: [UInt8]
    /// Whether the event was pruned, so that only its position and hash remain.
    public var isPruned: Bool { bytes.isEmpty }

    /// Creates an entry.
    public init(position: Position, hash: [UInt8], bytes: [UInt8]) {
        self.position = position
        self.hash = hash
        self.bytes = bytes
    }
}

/// The end of a journal: the position and chain hash of its last entry.
public struct Head: Sendable, Equatable {
    /// The name of the feed: an origin, or `hub`.
    public let feed: String
    /// The journal's current epoch.
    public let epoch: Epoch
    /// The position of the last entry; 0 if there is none.
    public let position: Position
    /// The chain hash at `position`; at 0 it is SHA-256(feed ‖ epoch).
    public let hash: [UInt8]

    /// Creates a head.
    public init(feed: String, epoch: Epoch, position: Position, hash: [UInt8]) {
        self.feed = feed
        self.epoch = epoch
        self.position = position
        self.hash = hash
    }
}

/// Consecutive entries of a journal, and the journal's head when they were read.
public struct Page: Sendable, Equatable {
    /// The journal's head.
    public let head: Head
    /// The entries in order, without a gap.
    public let entries: [Entry]
    /// The breaks of the chain in this page. Always empty for a subscriber that stops at a break.
    public let damage: [ChainDamage]

    /// Creates a page.
    public init(head: Head, entries: [Entry], damage: [ChainDamage] = []) {
        self.head = head
        self.entries = entries
        self.damage = damage
    }
}

/// A position at which a journal's hash chain does not verify.
public enum ChainDamage: Sendable, Equatable {
    /// The hash of this entry does not follow from the entry before: its bytes or its hash were changed.
    case broken(Position)
    /// The entries at these positions are missing.
    case missing(ClosedRange<Position>)
}

/// The limits of events and pages.
public enum EventLimits {
    /// Bytes of one event.
    public static let eventBytes = 65_000
    /// Events in one page.
    public static let pageEvents = 512
    /// Bytes of the events in one page.
    public static let pageBytes = 256 * 1024
    /// Events that one decision may produce.
    public static let decisionEvents = 256
}
