import EventSourcing
public import Vocabulary
import Wire

/// By how much a hub grows, judged by its newest events.
public struct HubGrowth: Sendable {
    /// What its database takes on the disk.
    public let bytes: Int
    /// When the newest event was recorded.
    public let newest: Instant
    /// Nil while the hub is too young to tell.
    public let eventsPerDay: Double?

    private static let events: Position = 50_000
    /// A farm of an hour says nothing about its days.
    private static let daysAtLeast = 1.0 / 24

    /// - Parameter conninfo: a keyword string of libpq, the same as the log's.
    public init(_ conninfo: String) throws {
        let reader = try HubReader(conninfo)
        let head = try reader.head().position
        let back = head > Self.events ? head - Self.events : 1
        newest = try Self.recorded(head, reader)
        let days = newest.seconds(since: try Self.recorded(back, reader)) / 86_400
        eventsPerDay = days > Self.daysAtLeast ? Double(head - back) / days : nil
        bytes = try reader.databaseBytes()
    }

    /// When the event there was recorded, or the next one that was not let go; the newest never is.
    private static func recorded(_ position: Position, _ reader: HubReader) throws -> Instant {
        var next = position
        while let last = try reader.read(from: next, events: Limits.pageEvents, bytes: 1).last {
            if !last.isPruned { return try EnvelopeCodec.read(last.bytes).envelope.recorded }
            next = last.position + 1
        }
        throw LogFailure(operation: "read an entry", message: "the hub has none at \(position)")
    }
}
