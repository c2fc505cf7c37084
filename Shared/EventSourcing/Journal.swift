public import JSON

/// The first entry of an epoch, with the point from which it continues.
public struct EpochBegan: Event, Equatable {
    /// The event's name on the wire.
    public static let name = "farm.furrow.journal.epoch-began.v1"

    /// The previous epoch; nil for a journal's first epoch.
    public var previous: Epoch?
    /// The last position of the previous epoch that is still valid; 0 for the first epoch.
    public var keptTo: Position
    /// The chain hash at `keptTo`, in hex.
    public var keptHash: String?
    /// The reason, in words.
    public var why: String

    /// Creates the event.
    public init(previous: Epoch?, keptTo: Position, keptHash: String?, why: String) {
        self.previous = previous
        self.keptTo = keptTo
        self.keptHash = keptHash
        self.why = why
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        previous = try json.find("previous")
        keptTo = try json.get("keptTo")
        keptHash = try json.find("keptHash")
        why = try json.get("why")
    }

    /// Writes the fields of the event's data.
    public func write(fields json: inout JSONWriter) {
        json.field("previous", ifPresent: previous)
        json.field("keptTo", keptTo)
        json.field("keptHash", ifPresent: keptHash)
        json.field("why", why)
    }
}

/// A checkpoint event: the entries of a feed that a service consumed, in one commit with the events decided from them.
public struct FeedConsumed: Event, Equatable {
    /// The event's name on the wire.
    public static let name = "farm.furrow.journal.intake-taken.v1"

    /// The feed's name: an origin, or `hub`.
    public var feed: String
    /// The feed's epoch at `last`.
    public var epoch: Epoch
    /// The first consumed position.
    public var first: Position
    /// The last consumed position.
    public var last: Position
    /// The feed's chain hash at `last`, in hex.
    public var hash: String
    /// The positions that were not applied, with reasons: events that could not be applied and events blocked behind
    /// them.
    public var parked: [Parked]

    /// Creates the event.
    public init(feed: String, epoch: Epoch, first: Position, last: Position, hash: String, parked: [Parked] = []) {
        self.feed = feed
        self.epoch = epoch
        self.first = first
        self.last = last
        self.hash = hash
        self.parked = parked
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        feed = try json.get("feed")
        epoch = try json.get("epoch")
        first = try json.get("first")
        last = try json.get("last")
        hash = try json.get("hash")
        parked = try json.find("parked") ?? []
    }

    /// Writes the fields of the event's data.
    public func write(fields json: inout JSONWriter) {
        json.field("feed", feed)
        json.field("epoch", epoch)
        json.field("first", first)
        json.field("last", last)
        json.field("hash", hash)
        json.field("parked", ifPresent: parked.isEmpty ? nil : parked)
    }
}

/// A consumed event that was not applied: it could not be, or an earlier event of its stream is parked.
public struct Parked: Sendable, Equatable, JSONReadable, JSONWritable {
    /// The event's position in its feed.
    public var position: Position
    /// Why it was not applied.
    public var reason: String
    /// The parked event of the same stream that blocks this one; nil if this event itself could not be applied.
    public var behind: Position?

    /// Creates the entry.
    public init(position: Position, reason: String, behind: Position? = nil) {
        self.position = position
        self.reason = reason
        self.behind = behind
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        position = try json.get("position")
        reason = try json.get("reason")
        behind = try json.find("behind")
    }

    /// Writes the entry as a JSON object.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("position", position)
            json.field("reason", reason)
            json.field("behind", ifPresent: behind)
        }
    }
}

/// The outcome of retrying or skipping a parked event, by an operator or because the event that blocked it is resolved.
///
/// The event is now applied, skipped permanently, or parked because it cannot be applied either. The actor is the
/// operator or the service.
public struct ParkedResolved: Event, Equatable {
    /// The event's name on the wire.
    public static let name = "farm.furrow.journal.parked-resolved.v1"

    /// The feed's name.
    public var feed: String
    /// The feed's epoch.
    public var epoch: Epoch
    /// The parked event's position.
    public var position: Position
    /// `retried`, `skipped` or `parked`. `parked`: it was blocked before, cannot be applied itself, and now blocks
    /// others.
    public var outcome: String
    /// The outcome of an event that was applied.
    public static let retried = "retried"
    /// The outcome of an event that will never be applied.
    public static let skipped = "skipped"
    /// The outcome of a blocked event that cannot be applied itself.
    public static let parked = "parked"
    /// Why the event was skipped or parked, if known.
    public var reason: String?

    /// Creates the event.
    public init(feed: String, epoch: Epoch, position: Position, outcome: String, reason: String?) {
        self.feed = feed
        self.epoch = epoch
        self.position = position
        self.outcome = outcome
        self.reason = reason
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        feed = try json.get("feed")
        epoch = try json.get("epoch")
        position = try json.get("position")
        outcome = try json.get("outcome")
        reason = try json.find("reason")
    }

    /// Writes the fields of the event's data.
    public func write(fields json: inout JSONWriter) {
        json.field("feed", feed)
        json.field("epoch", epoch)
        json.field("position", position)
        json.field("outcome", outcome)
        json.field("reason", ifPresent: reason)
    }
}

/// An operator accepted that a subscribed journal continues from an earlier position, because it was restored from a
/// backup. Events already consumed after that position remain, but belong to no current epoch of that journal.
public struct FollowAccepted: Event, Equatable {
    /// The event's name on the wire.
    public static let name = "farm.furrow.journal.follow-accepted.v1"

    /// The feed's name.
    public var feed: String
    /// The epoch that was consumed last.
    public var epoch: Epoch
    /// The position to which the feed was restored.
    public var keptTo: Position
    /// The feed's chain hash at `keptTo`, in hex.
    public var keptHash: String
    /// The number of events that were consumed after `keptTo`.
    public var left: Int

    /// Creates the event.
    public init(feed: String, epoch: Epoch, keptTo: Position, keptHash: String, left: Int) {
        self.feed = feed
        self.epoch = epoch
        self.keptTo = keptTo
        self.keptHash = keptHash
        self.left = left
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        feed = try json.get("feed")
        epoch = try json.get("epoch")
        keptTo = try json.get("keptTo")
        keptHash = try json.get("keptHash")
        left = try json.get("left")
    }

    /// Writes the fields of the event's data.
    public func write(fields json: inout JSONWriter) {
        json.field("feed", feed)
        json.field("epoch", epoch)
        json.field("keptTo", keptTo)
        json.field("keptHash", keptHash)
        json.field("left", left)
    }
}

/// The machine's clock was moved by more than a minute while the service ran, or set back while it was stopped.
///
/// The event's time is by the new clock.
public struct ClockStepped: Event, Equatable {
    /// The event's name on the wire.
    public static let name = "farm.furrow.journal.clock-stepped.v1"

    /// The size of the step in seconds; negative if the clock was set back.
    public var seconds: Double

    /// Creates the event.
    public init(seconds: Double) {
        self.seconds = seconds
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        seconds = try json.get("seconds")
    }

    /// Writes the fields of the event's data.
    public func write(fields json: inout JSONWriter) {
        json.field("seconds", seconds)
    }
}
