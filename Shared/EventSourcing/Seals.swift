public import JSON

/// Announces the key that signs the journal's seals from this position on.
public struct SealKeyAnnounced: Event, Equatable {
    /// The event's name on the wire.
    public static let name = "farm.furrow.journal.seal-key-announced.v1"

    /// A verifier key of C2SP signed notes; its name is the origin's.
    public var key: String

    /// Creates the event.
    public init(key: String) {
        self.key = key
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        key = try json.get("key")
    }

    /// Writes the fields of the event's data.
    public func write(fields json: inout JSONWriter) {
        json.field("key", key)
    }
}

/// A run of the journal was sealed in a segment: a signed file of its own. The file never changes; pruning replaces it
/// by one without the pruned events (``JournalPruned``).
public struct JournalSealed: Event, Equatable {
    /// The event's name on the wire.
    public static let name = "farm.furrow.journal.sealed.v1"

    /// The segment's first position.
    public var first: Position
    /// The segment's last position.
    public var last: Position
    /// The chain hash at `last`, in hex.
    public var hash: String
    /// The Merkle root over the segment's events (RFC 6962), in hex.
    public var root: String
    /// SHA-256 of the segment file, in hex.
    public var file: String
    /// The signed note at the start of the file. It states the fields above, the key, and the SHA-256 of every block.
    public var note: String

    /// Creates the event.
    public init(first: Position, last: Position, hash: String, root: String, file: String, note: String) {
        self.first = first
        self.last = last
        self.hash = hash
        self.root = root
        self.file = file
        self.note = note
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        first = try json.get("first")
        last = try json.get("last")
        hash = try json.get("hash")
        root = try json.get("root")
        file = try json.get("file")
        note = try json.get("note")
    }

    /// Writes the fields of the event's data.
    public func write(fields json: inout JSONWriter) {
        json.field("first", first)
        json.field("last", last)
        json.field("hash", hash)
        json.field("root", root)
        json.field("file", file)
        json.field("note", note)
    }
}
