import JSON
public import Vocabulary

// What the journal's own events have beside their declared fields.
extension ParkedResolved {
    /// The outcome of an event that was applied.
    public static let retried = "retried"
    /// The outcome of an event that will never be applied.
    public static let skipped = "skipped"
    /// The outcome of a blocked event that cannot be applied itself.
    public static let parked = "parked"
}

extension ClockTrusted {
    /// The stream of these events.
    public static let stream = "clock"
    /// Seconds of running time during which nothing is pruned after the clock was moved or accepted.
    public static let freezeSeconds = 604_800.0
}

extension JournalPruned {
    /// Creates the event. Requires every position to be between `first` and `last`.
    public init(
        first: Position, last: Position, positions: [Position] = [], from: Instant? = nil, to: Instant? = nil,
        kept: [RetainedInterval] = [], note: String? = nil
    ) {
        var bits = [UInt8](repeating: 0, count: Int(last - first) / 8 + 1)
        for position in positions { bits[Int(position - first) / 8] |= Self.bit(position - first) }
        self.init(
            first: first, last: last, pruned: BaseEncoding.base64.encode(bits), from: from, to: to, kept: kept,
            note: note)
    }

    /// The pruned positions in ascending order.
    public var positions: [Position] {
        let bits = BaseEncoding.base64.decode(pruned) ?? []
        return (first...last).filter { bits[Int($0 - first) / 8] & Self.bit($0 - first) != 0 }
    }

    /// Throws unless there is one bit for each position from `first` to `last`.
    func check() throws(JSONError) {
        guard first > 0, first <= last, let bits = BaseEncoding.base64.decode(pruned),
            UInt64(bits.count) == (last - first) / 8 + 1
        else { throw JSONError(message: "expected a bit for each position from first to last", path: "pruned") }
    }

    private static func bit(_ offset: Position) -> UInt8 { 0x80 >> UInt8(offset % 8) }
}
