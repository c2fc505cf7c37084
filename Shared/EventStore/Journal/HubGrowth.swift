public import Vocabulary

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

    /// Creates a measurement; `HubReader.growth()` takes one.
    public init(bytes: Int, newest: Instant, eventsPerDay: Double?, seenDays: Double) {
        self.bytes = bytes
        self.newest = newest
        self.eventsPerDay = eventsPerDay
        self.seenDays = seenDays
    }
}
