public import JSON

/// The hub requests its subscribers to record its signed checkpoint, so that its history cannot be rewritten unnoticed.
public struct WitnessRequested: Event, Equatable {
    /// The event's name on the wire.
    public static let name = "farm.furrow.journal.witness-asked.v1"

    /// The hub's newest signed checkpoint, a C2SP signed note.
    public var checkpoint: String

    /// Creates the event.
    public init(checkpoint: String) {
        self.checkpoint = checkpoint
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        checkpoint = try json.get("checkpoint")
    }

    /// Writes the fields of the event's data.
    public func write(fields json: inout JSONWriter) {
        json.field("checkpoint", checkpoint)
    }
}

/// The chain hash of another journal at a position, as this service read it. The hash covers everything before it.
public struct CheckpointWitnessed: Event, Equatable {
    /// The event's name on the wire.
    public static let name = "farm.furrow.journal.checkpoint-witnessed.v1"

    /// The name of the witnessed feed.
    public var feed: String
    /// The feed's epoch at `position`.
    public var epoch: Epoch
    /// The position in the feed.
    public var position: Position
    /// The feed's chain hash at `position`, computed from its beginning, in hex.
    public var hash: String
    /// The signed checkpoint of the request.
    public var checkpoint: String

    /// Creates the event.
    public init(feed: String, epoch: Epoch, position: Position, hash: String, checkpoint: String) {
        self.feed = feed
        self.epoch = epoch
        self.position = position
        self.hash = hash
        self.checkpoint = checkpoint
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        feed = try json.get("feed")
        epoch = try json.get("epoch")
        position = try json.get("position")
        hash = try json.get("hash")
        checkpoint = try json.get("checkpoint")
    }

    /// Writes the fields of the event's data.
    public func write(fields json: inout JSONWriter) {
        json.field("feed", feed)
        json.field("epoch", epoch)
        json.field("position", position)
        json.field("hash", hash)
        json.field("checkpoint", checkpoint)
    }
}
