public import EventSourcing
import EventStore
import Wire

extension Folding {
    /// Continues the projection from the position of a store and flushes it at intervals. Returns whether it reached
    /// `last`. Stops early, after a flush, once `shouldContinue` returns false. Throws if an entry is not what was
    /// written, so that a changed entry never enters a view.
    func fold(
        on store: any TableStore, through last: Position, reading open: @escaping @Sendable () throws -> any LogReader,
        pulling pull: ExactPull, shouldContinue: (Position) -> Bool
    ) throws -> Bool {
        guard store.position < last else { return true }
        var flushed = store.position
        var foreign = 0
        do {
            try fold(
                from: flushed + 1, through: last, reading: { VerifyingReader(try open()) },
                pulling: { feed, checkpoint, place in
                    let entries = try pull(feed, checkpoint, place)
                    foreign += entries.count
                    return entries
                },
                reached: { position in
                    let isEnding = !shouldContinue(position) || position == last
                    guard isEnding || Int(position - flushed) + foreign >= HostLimits.eventsUnflushed else { return }
                    try store.flush(at: position)
                    (flushed, foreign) = (position, 0)
                    if isEnding { throw Ended() }
                })
        } catch is Ended {}
        return flushed == last
    }

    /// Returns a pull that reads foreign entries from the hub's own database. It throws if an entry is missing or is
    /// not what was written.
    public static func pull(mirroredBy open: @escaping (String) throws -> any MirrorReader) -> ExactPull {
        var readers: [String: any MirrorReader] = [:]
        return { feed, checkpoint, last in
            let reader = try readers[feed] ?? open(feed)
            readers[feed] = reader
            let first = (checkpoint?.position ?? 0) + 1
            let isPresent = try reader.hash(at: last.position) == last.hash
            // If the journal was restored since, reads the former history.
            let page =
                isPresent
                ? try reader.read(
                    from: first, events: min(EventLimits.pageEvents, Int(last.position - first) + 1),
                    bytes: EventLimits.pageBytes)
                : try reader.history(from: first, through: last)
            guard let beginning = page.first else {
                throw LogFailure.changed(feed, at: last.position)
            }
            // The hash before a former history is not stored, so its first entry is accepted unchecked.
            let start = isPresent ? try reader.hash(at: 0) : nil
            let before = first > 1 ? checkpoint?.hash : start
            let (hash, place) = before.map { ($0, first - 1) } ?? (beginning.hash, first)
            if let broken = Chain.firstBreak(in: page.drop { $0.position <= place }, after: hash, at: place) {
                throw LogFailure.changed(feed, at: broken)
            }
            return page
        }
    }
}

extension LogFailure {
    /// Returns the failure for an entry that is missing or is not what was written.
    static func changed(_ feed: String, at position: Position) -> LogFailure {
        LogFailure(
            operation: "fold",
            message: """
                the chain of \(feed) breaks at \(position): this entry is missing, or not what was written; \
                furrow audit tells more, furrow restore takes a backup
                """)
    }
}

private struct Ended: Error {}
