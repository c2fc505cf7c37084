import EventSourcing
public import Vocabulary
import Wire

/// The growth of a hub, measured over its last seven days.
public struct HubGrowth: Sendable {
    /// Bytes of its database on disk.
    public let bytes: Int
    /// The time at which the newest event was recorded.
    public let newest: Instant
    /// Events per day in the measured interval; nil if the hub is less than an hour old.
    public let eventsPerDay: Double?
    /// The length of the measured interval in days.
    public let seenDays: Double

    private static let days = 7.0
    /// A shorter interval does not predict a day.
    private static let daysAtLeast = 1.0 / 24

    /// Measures the hub. Throws if it is empty or cannot be read.
    ///
    /// - Parameter conninfo: the libpq connection string of the hub's database.
    public init(_ conninfo: String) throws {
        let reader = try HubReader(conninfo)
        let head = try reader.head().position
        guard let newest = try Self.recorded(head, reader) else {
            throw LogFailure(operation: "read an entry", message: "the newest event of the hub is not there")
        }
        let since = newest.advanced(bySeconds: -Self.days * 86_400)
        // A binary search for the first event recorded since then.
        var (first, last) = (Position(1), head)
        while first < last {
            let middle = first + (last - first) / 2
            let isLate = try Self.recorded(middle, reader).map { $0 >= since } ?? false
            if isLate { last = middle } else { first = middle + 1 }
        }
        let seen = newest.seconds(since: try Self.recorded(first, reader) ?? newest) / 86_400
        self.newest = newest
        seenDays = seen
        eventsPerDay = seen > Self.daysAtLeast ? Double(head - first) / seen : nil
        bytes = try reader.databaseBytes()
    }

    /// Returns when the event at a position was recorded; nil if it was pruned and is therefore old.
    private static func recorded(_ position: Position, _ reader: HubReader) throws -> Instant? {
        guard let entry = try reader.read(from: position, events: 1, bytes: 1).first else {
            throw LogFailure(operation: "read an entry", message: "the hub has none at \(position)")
        }
        return entry.isPruned ? nil : try EnvelopeCodec.read(entry.bytes).envelope.recorded
    }
}
