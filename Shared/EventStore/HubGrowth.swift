import EventSourcing
public import Vocabulary
import Wire

/// By how much a hub grows, judged by its last seven days.
public struct HubGrowth: Sendable {
    /// What its database takes on the disk.
    public let bytes: Int
    /// When the newest event was recorded.
    public let newest: Instant
    /// Nil while the hub is too young to tell.
    public let eventsPerDay: Double?
    /// How many days that was seen over.
    public let seenDays: Double

    private static let days = 7.0
    /// A farm of an hour says nothing about its days.
    private static let daysAtLeast = 1.0 / 24

    /// - Parameter conninfo: a keyword string of libpq, the same as the log's.
    public init(_ conninfo: String) throws {
        let reader = try HubReader(conninfo)
        let head = try reader.head().position
        guard let newest = try Self.recorded(head, reader) else {
            throw LogFailure(operation: "read an entry", message: "the newest event of the hub is not there")
        }
        let since = newest.advanced(bySeconds: -Self.days * 86_400)
        // The first event that was recorded since: each look halves where it may be.
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

    /// When the event there was recorded; nil if it was let go, which is long ago.
    private static func recorded(_ position: Position, _ reader: HubReader) throws -> Instant? {
        guard let entry = try reader.read(from: position, events: 1, bytes: 1).first else {
            throw LogFailure(operation: "read an entry", message: "the hub has none at \(position)")
        }
        return entry.isPruned ? nil : try EnvelopeCodec.read(entry.bytes).envelope.recorded
    }
}
