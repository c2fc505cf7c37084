/// Where an event stands in a journal: 1, 2, 3 … without a gap. 0 is before the first.
public typealias Position = UInt64

/// One event as it lies in a journal: its bytes were made once and never change.
public struct Entry: Sendable, Equatable {
    public let position: Position
    /// The chain up to and with this event: SHA-256(hash before ‖ bytes), 32 bytes.
    public let hash: [UInt8]
    /// The event: a CloudEvent in JSON, at most 65,000 bytes. Empty where it was let go (``JournalPruned``).
    public let bytes: [UInt8]
    /// Only the place and the hash are left of this event.
    public var isPruned: Bool { bytes.isEmpty }

    public init(position: Position, hash: [UInt8], bytes: [UInt8]) {
        self.position = position
        self.hash = hash
        self.bytes = bytes
    }
}

/// How far a journal reaches.
public struct Head: Sendable, Equatable {
    /// Whose journal: an origin's name, or `hub`.
    public let feed: String
    public let epoch: Epoch
    public let position: Position
    /// The chain at `position`; at 0 it is SHA-256(feed ‖ epoch).
    public let hash: [UInt8]

    public init(feed: String, epoch: Epoch, position: Position, hash: [UInt8]) {
        self.feed = feed
        self.epoch = epoch
        self.position = position
        self.hash = hash
    }
}

/// A run of entries without a gap, and how far the journal reaches.
public struct Page: Sendable, Equatable {
    public let head: Head
    public let entries: [Entry]
    /// Where the chain does not hold in this page; always empty for a subscriber that stops there.
    public let damage: [ChainDamage]

    public init(head: Head, entries: [Entry], damage: [ChainDamage] = []) {
        self.head = head
        self.entries = entries
        self.damage = damage
    }
}

/// A place of a journal where its chain of hashes does not hold.
public enum ChainDamage: Sendable, Equatable {
    /// The entry there does not follow from the one before: its bytes or its hash were changed.
    case broken(Position)
    /// The entries there are missing.
    case missing(ClosedRange<Position>)
}

/// The bounds of a page and of an event.
public enum EventLimits {
    public static let eventBytes = 65_000
    public static let pageEvents = 512
    public static let pageBytes = 256 * 1024
    /// Events that one decision may give.
    public static let decisionEvents = 256
}
