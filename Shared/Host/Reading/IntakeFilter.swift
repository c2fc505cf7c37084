import EventSourcing
import Events
import Vocabulary

/// Separates the entries of a followed journal, in their order: events to project, events that cannot be applied, and
/// events that wait because an earlier one of their stream is not applied.
struct IntakeFilter<S: Service> {
    private let folding: Folding<S>
    private let feed: String
    /// Returns the reason to park an entry that can be read, or nil.
    private let parkReason: (Entry) -> String?
    /// Whether streams of the feed were blocked before.
    private let hasBlockedStreams: Bool
    /// The streams that are blocked by an entry of this page, with its position.
    private var blocked: [String: Position] = [:]
    private(set) var projected: [RecordedEvent] = []
    /// The entries of the page that are not applied.
    private(set) var parked: [Parked] = []
    /// The number of these that do not wait for another one.
    private(set) var streams = 0

    init(_ feed: String, _ folding: Folding<S>, parkingWhere parkReason: @escaping (Entry) -> String? = { _ in nil }) {
        self.feed = feed
        self.folding = folding
        self.parkReason = parkReason
        hasBlockedStreams = folding.tables.get(FeedCheckpointRow.self, feed).map { $0.parked + $0.waiting > 0 } ?? false
    }

    /// Adds an entry. Returns its event if it can be read, whether or not it is projected.
    mutating func add(_ entry: Entry) -> RecordedEvent? {
        guard !entry.isPruned else { return nil }
        do {
            if let reason = parkReason(entry) { throw InvalidEntry(description: reason) }
            let recorded = try RecordedEvent(reading: entry.bytes)
            guard folding.isProjected(recorded) else { return recorded }
            if let first = blocked.isEmpty && !hasBlockedStreams
                ? nil : first(of: BlockedStreamRow.key(feed, recorded.envelope.stream))
            {
                wait(entry, behind: first)
            } else {
                projected.append(recorded)
            }
            return recorded
        } catch {
            let key = BlockedStreamRow.key(feed, ofEvent: entry.bytes)
            if let key, let first = first(of: key) {
                wait(entry, behind: first)
            } else {
                park(entry, of: key, because: "\(error)")
            }
            return nil
        }
    }

    private func first(of key: String) -> Position? {
        blocked[key] ?? folding.tables.get(BlockedStreamRow.self, key)?.first
    }

    private mutating func wait(_ entry: Entry, behind first: Position) {
        parked.append(
            Parked(position: entry.position, reason: "an earlier one of its stream is not applied", behind: first))
    }

    private mutating func park(_ entry: Entry, of key: String?, because reason: String) {
        streams += 1
        if let key { blocked[key] = entry.position }
        parked.append(Parked(position: entry.position, reason: reason.short))
    }

    private struct InvalidEntry: Error, CustomStringConvertible {
        let description: String
    }
}

extension String {
    /// The reason, limited to what a checkpoint event may record.
    var short: String { String(String.UnicodeScalarView(unicodeScalars.prefix(HostLimits.reasonScalars))) }
}
