import EventSourcing
public import EventStore
import Vocabulary
import Wire

extension HubReader {
    /// Days over which the growth is measured.
    private static let growthDays = 7.0
    /// A younger hub has no rate per day: one hour predicts nothing.
    private static let growthDaysAtLeast = 1.0 / 24

    /// Returns the hub's size and its growth over the last seven days.
    ///
    /// Throws if the database cannot be read or an entry within the seven days is missing.
    public func growth() throws -> HubGrowth {
        let head = try head().position
        guard let newest = try recorded(head) else {
            throw LogFailure(operation: "read an entry", message: "the newest event of the hub is not there")
        }
        let since = newest.advanced(bySeconds: -Self.growthDays * 86_400)
        // A binary search for the first event that was recorded since.
        var (first, last) = (Position(1), head)
        while first < last {
            let middle = first + (last - first) / 2
            let isLate = try recorded(middle).map { $0 >= since } ?? false
            if isLate { last = middle } else { first = middle + 1 }
        }
        let seen = newest.seconds(since: try recorded(first) ?? newest) / 86_400
        return HubGrowth(
            bytes: try databaseBytes(), newest: newest,
            eventsPerDay: seen > Self.growthDaysAtLeast ? Double(head - first) / seen : nil, seenDays: seen)
    }

    /// Returns when the event at `position` was recorded, or nil if it was pruned, which is long ago.
    private func recorded(_ position: Position) throws -> Instant? {
        guard let entry = try read(from: position, events: 1, bytes: 1).first else {
            throw LogFailure(operation: "read an entry", message: "the hub has none at \(position)")
        }
        return entry.isPruned ? nil : try EnvelopeCodec.read(entry.bytes).envelope.recorded
    }
}
