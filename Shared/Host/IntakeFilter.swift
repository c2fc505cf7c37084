import EventSourcing
import Events
import Vocabulary

/// Parts the entries of a followed journal, in their order: what is news, what cannot be applied, and what waits as an
/// earlier event of its stream is not applied.
struct IntakeFilter<S: Service> {
    private let folding: Folding<S>
    private let feed: String
    /// Why an entry is parked although it can be read.
    private let doubt: (Entry) -> String?
    /// Streams that were held before, if any.
    private let isHolding: Bool
    /// Streams that are held from here on, and by which event.
    private var held: [String: Position] = [:]
    private(set) var news: [RecordedEvent] = []
    /// Everything that is not applied.
    private(set) var parked: [Parked] = []
    /// How many of these wait for no other.
    private(set) var streams = 0

    init(_ feed: String, _ folding: Folding<S>, doubting doubt: @escaping (Entry) -> String? = { _ in nil }) {
        self.feed = feed
        self.folding = folding
        self.doubt = doubt
        isHolding = folding.tables.get(FeedCheckpointRow.self, feed).map { $0.parked + $0.waiting > 0 } ?? false
    }

    /// What the entry tells, if it can be read; whatever else comes of it.
    mutating func add(_ entry: Entry) -> RecordedEvent? {
        guard !entry.isPruned else { return nil }
        do {
            if let reason = doubt(entry) { throw InvalidEntry(description: reason) }
            let told = try RecordedEvent(reading: entry.bytes)
            guard folding.isNews(told) else { return told }
            if let first = held.isEmpty && !isHolding
                ? nil : first(of: BlockedStreamRow.key(feed, told.envelope.stream))
            {
                wait(entry, behind: first)
            } else {
                news.append(told)
            }
            return told
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
        held[key] ?? folding.tables.get(BlockedStreamRow.self, key)?.first
    }

    private mutating func wait(_ entry: Entry, behind first: Position) {
        parked.append(
            Parked(position: entry.position, reason: "an earlier one of its stream is not applied", behind: first))
    }

    private mutating func park(_ entry: Entry, of key: String?, because reason: String) {
        streams += 1
        if let key { held[key] = entry.position }
        parked.append(Parked(position: entry.position, reason: reason.short))
    }

    private struct InvalidEntry: Error, CustomStringConvertible {
        let description: String
    }
}

extension String {
    /// As much of a reason as the journal tells.
    var short: String { String(String.UnicodeScalarView(unicodeScalars.prefix(HostLimits.reasonScalars))) }
}
