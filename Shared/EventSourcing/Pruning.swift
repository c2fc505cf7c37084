public import JSON
public import Vocabulary

/// Raw reports of a sealed run were let go because they are old: of each its hash stays in the chain, of the run its
/// root and signature, as `sealed` told them. Everything else in the run stays as it was.
///
/// A run in which nothing was old, or all of it is part of a story, is told of, too: runs are looked at in their order.
public struct JournalPruned: Event, Equatable {
    public static let name = "farm.furrow.journal.pruned.v1"

    /// The run, as it was sealed.
    public var first: Position
    public var last: Position
    /// What of it was let go: a bit for each position, in base64; the highest one of the first byte is that of `first`.
    public private(set) var pruned: String
    /// When the earliest and the latest of these happened; nil where there is none.
    public var from: Instant?
    public var to: Instant?
    /// Of what nothing was let go although it is old.
    public var kept: [RetainedInterval]
    /// What the segment begins with from here on: a signed note of the same root; nil where nothing was let go.
    public var note: String?

    public init(
        first: Position, last: Position, positions: [Position] = [], from: Instant? = nil, to: Instant? = nil,
        kept: [RetainedInterval] = [], note: String? = nil
    ) {
        self.first = first
        self.last = last
        var bits = [UInt8](repeating: 0, count: Int(last - first) / 8 + 1)
        for position in positions { bits[Int(position - first) / 8] |= Self.bit(position - first) }
        pruned = BaseEncoding.base64.encode(bits)
        self.from = from
        self.to = to
        self.kept = kept
        self.note = note
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        first = try json.get("first")
        last = try json.get("last")
        pruned = try json.get("pruned")
        from = try json.find("from")
        to = try json.find("to")
        kept = try json.get("kept")
        note = try json.find("note")
        guard first > 0, first <= last, let bits = BaseEncoding.base64.decode(pruned),
            UInt64(bits.count) == (last - first) / 8 + 1
        else { throw JSONError(message: "expected a bit for each position from first to last", path: "pruned") }
    }

    public func write(fields json: inout JSONWriter) {
        json.field("first", first)
        json.field("last", last)
        json.field("pruned", pruned)
        json.field("from", ifPresent: from)
        json.field("to", ifPresent: to)
        json.field("kept", kept)
        json.field("note", ifPresent: note)
    }

    /// What was let go, in order.
    public var positions: [Position] {
        let bits = BaseEncoding.base64.decode(pruned) ?? []
        return (first...last).filter { bits[Int($0 - first) / 8] & Self.bit($0 - first) != 0 }
    }

    private static func bit(_ offset: Position) -> UInt8 { 0x80 >> UInt8(offset % 8) }
}

/// A time in which what was measured at a place is part of a story.
public struct RetainedInterval: Sendable, Equatable, JSONReadable, JSONWritable {
    public var place: Place
    public var from: Instant
    public var to: Instant

    public init(_ place: Place, from: Instant, to: Instant) {
        self.place = place
        self.from = from
        self.to = to
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        place = try json.get("place")
        from = try json.get("from")
        to = try json.get("to")
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("place", place)
            json.field("from", from)
            json.field("to", to)
        }
    }
}
