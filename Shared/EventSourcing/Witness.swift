public import JSON

/// The hub asks whoever follows it to write down how far it reached, so that it cannot be written anew unnoticed.
public struct WitnessRequested: Event, Equatable {
    public static let name = "farm.furrow.journal.witness-asked.v1"

    /// The hub's newest signed checkpoint, a C2SP note.
    public var checkpoint: String

    public init(checkpoint: String) {
        self.checkpoint = checkpoint
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        checkpoint = try json.get("checkpoint")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("checkpoint", checkpoint)
    }
}

/// What another journal was when this one read it: its chain at a position covers everything before.
public struct CheckpointWitnessed: Event, Equatable {
    public static let name = "farm.furrow.journal.checkpoint-witnessed.v1"

    public var feed: String
    public var epoch: Epoch
    public var position: Position
    /// The feed's chain there, as it was followed from its beginning; in hex.
    public var hash: String
    /// The signed checkpoint that it was asked with.
    public var checkpoint: String

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

    public func write(fields json: inout JSONWriter) {
        json.field("feed", feed)
        json.field("epoch", epoch)
        json.field("position", position)
        json.field("hash", hash)
        json.field("checkpoint", checkpoint)
    }
}
