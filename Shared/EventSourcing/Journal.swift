public import JSON

/// The first entry of an epoch: what it goes on from.
public struct EpochBegan: Event, Equatable {
    public static let name = "farm.furrow.journal.epoch-began.v1"

    /// The epoch before, and up to where it was kept; nil for the very first.
    public var previous: Epoch?
    public var keptTo: Position
    public var keptHash: String?
    public var why: String

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

    public func write(fields json: inout JSONWriter) {
        json.field("previous", ifPresent: previous)
        json.field("keptTo", keptTo)
        json.field("keptHash", ifPresent: keptHash)
        json.field("why", why)
    }
}

/// Which foreign events a service has taken in: the checkpoint of a feed, in one commit with what was decided from it.
public struct FeedConsumed: Event, Equatable {
    public static let name = "farm.furrow.journal.intake-taken.v1"

    /// The origin read, or `hub`.
    public var feed: String
    public var epoch: Epoch
    public var first: Position
    public var last: Position
    /// The feed's chain at `last`, in hex.
    public var hash: String
    /// Positions that are not applied, with the reason: what could not be, and what waits behind it.
    public var parked: [Parked]

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

    public func write(fields json: inout JSONWriter) {
        json.field("feed", feed)
        json.field("epoch", epoch)
        json.field("first", first)
        json.field("last", last)
        json.field("hash", hash)
        json.field("parked", ifPresent: parked.isEmpty ? nil : parked)
    }
}

/// A foreign event that is not applied: it could not be, or an earlier one of its stream is not applied either.
public struct Parked: Sendable, Equatable, JSONReadable, JSONWritable {
    public var position: Position
    public var reason: String
    /// The event of the same stream that it waits for; nil where it is itself what cannot be applied.
    public var behind: Position?

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

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("position", position)
            json.field("reason", reason)
            json.field("behind", ifPresent: behind)
        }
    }
}

/// A parked event was tried again, by people or because the one before it is out of its way: it is applied now, or
/// skipped for ever, or it turned out that it cannot be applied itself. By whom is the event's actor.
public struct ParkedResolved: Event, Equatable {
    public static let name = "farm.furrow.journal.parked-resolved.v1"

    public var feed: String
    public var epoch: Epoch
    public var position: Position
    /// `retried`, `skipped`, or `parked`: it waited behind another, and now others wait behind it.
    public var outcome: String
    public static let retried = "retried"
    public static let skipped = "skipped"
    public static let parked = "parked"
    public var reason: String?

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

    public func write(fields json: inout JSONWriter) {
        json.field("feed", feed)
        json.field("epoch", epoch)
        json.field("position", position)
        json.field("outcome", outcome)
        json.field("reason", ifPresent: reason)
    }
}

/// People accepted that a followed journal goes on from an earlier place than was read of it: it was restored from a
/// copy. What was read behind that place stays where it is, and is in no life of that journal any more.
public struct FollowAccepted: Event, Equatable {
    public static let name = "farm.furrow.journal.follow-accepted.v1"

    public var feed: String
    /// The epoch that was read last.
    public var epoch: Epoch
    public var keptTo: Position
    /// The feed's chain at `keptTo`, in hex.
    public var keptHash: String
    /// Events that were read behind it.
    public var left: Int

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

    public func write(fields json: inout JSONWriter) {
        json.field("feed", feed)
        json.field("epoch", epoch)
        json.field("keptTo", keptTo)
        json.field("keptHash", keptHash)
        json.field("left", left)
    }
}

/// The clock of the machine was moved by more than a minute while the service ran, or set back while it did not; when,
/// by the clock since.
public struct ClockStepped: Event, Equatable {
    public static let name = "farm.furrow.journal.clock-stepped.v1"

    public var seconds: Double

    public init(seconds: Double) {
        self.seconds = seconds
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        seconds = try json.get("seconds")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("seconds", seconds)
    }
}
