public import Vocabulary

/// By how much a hub grows, measured over its last seven days.
public struct HubGrowth: Sendable {
    /// Bytes that the hub's database takes on the disk.
    public let bytes: Int
    /// When the newest event was recorded.
    public let newest: Instant
    /// Nil while the hub is less than an hour old.
    public let eventsPerDay: Double?
    /// Days that `eventsPerDay` was measured over.
    public let seenDays: Double

    /// Creates a measurement; `HubReader.growth()` takes one.
    public init(bytes: Int, newest: Instant, eventsPerDay: Double?, seenDays: Double) {
        self.bytes = bytes
        self.newest = newest
        self.eventsPerDay = eventsPerDay
        self.seenDays = seenDays
    }
}
