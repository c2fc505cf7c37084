public import JSON
public import Vocabulary

/// Old raw reports of a sealed segment were pruned. Their hashes remain in the chain, and the segment's root and
/// signature are still those of its `JournalSealed`. All other events of the segment are unchanged.
///
/// It is also recorded for a segment in which nothing could be pruned, because segments are examined in order.
public struct JournalPruned: Event, Equatable {
    /// The event's name on the wire.
    public static let name = "farm.furrow.journal.pruned.v1"

    /// The segment's first position, as it was sealed.
    public var first: Position
    /// The segment's last position, as it was sealed.
    public var last: Position
    /// The pruned positions as a bit set in base64. The most significant bit of the first byte is `first`.
    public private(set) var pruned: String
    /// The time of the earliest pruned event; nil if nothing was pruned.
    public var from: Instant?
    /// The time of the latest pruned event; nil if nothing was pruned.
    public var to: Instant?
    /// The intervals in which old reports were retained.
    public var kept: [RetainedInterval]
    /// The signed note at the start of the replaced segment file, with the same root; nil if nothing was pruned.
    public var note: String?

    /// Creates the event. Requires every position to be between `first` and `last`.
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

    /// Writes the fields of the event's data.
    public func write(fields json: inout JSONWriter) {
        json.field("first", first)
        json.field("last", last)
        json.field("pruned", pruned)
        json.field("from", ifPresent: from)
        json.field("to", ifPresent: to)
        json.field("kept", kept)
        json.field("note", ifPresent: note)
    }

    /// The pruned positions in ascending order.
    public var positions: [Position] {
        let bits = BaseEncoding.base64.decode(pruned) ?? []
        return (first...last).filter { bits[Int($0 - first) / 8] & Self.bit($0 - first) != 0 }
    }

    private static func bit(_ offset: Position) -> UInt8 { 0x80 >> UInt8(offset % 8) }
}

/// A time interval in which the reports of a place are part of a lot's story and must be retained.
public struct RetainedInterval: Sendable, Equatable, JSONReadable, JSONWritable {
    /// The place at which the reports were measured.
    public var place: Place
    /// The start of the interval.
    public var from: Instant
    /// The end of the interval.
    public var to: Instant

    /// Creates an interval.
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

    /// Writes the interval as a JSON object.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("place", place)
            json.field("from", from)
            json.field("to", to)
        }
    }
}
