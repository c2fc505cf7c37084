public import JSON

/// A journal's seals are signed by this key from here on.
public struct SealKeyAnnounced: Event, Equatable {
    public static let name = "farm.furrow.journal.seal-key-announced.v1"

    /// A verifier key of C2SP notes; its name is the origin's.
    public var key: String

    public init(key: String) {
        self.key = key
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        key = try json.get("key")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("key", key)
    }
}

/// A run of the journal is sealed in a segment: a file with a signature that is stored. It is never changed, only
/// replaced by one without what was let go (``JournalPruned``).
public struct JournalSealed: Event, Equatable {
    public static let name = "farm.furrow.journal.sealed.v1"

    public var first: Position
    public var last: Position
    /// The chain at `last`, the Merkle root over the run's events (RFC 6962) and SHA-256 of the segment's file, in hex.
    public var hash: String
    public var root: String
    public var file: String
    /// What the file begins with: the signed note that names all of this, the key, and every block by its SHA-256.
    public var note: String

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

    public func write(fields json: inout JSONWriter) {
        json.field("first", first)
        json.field("last", last)
        json.field("hash", hash)
        json.field("root", root)
        json.field("file", file)
        json.field("note", note)
    }
}
