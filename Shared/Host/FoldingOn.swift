public import EventSourcing
import EventStore
import Wire

extension Folding {
    /// Folds on from where a store stands, keeping it every so often. Ends early, with what is folded kept, once
    /// `goesOn` says no; gives whether it reached `last`. An entry that is not what was written ends it: what was
    /// changed does not become a view.
    func fold(
        on store: any TableStore, through last: Position, reading open: @escaping @Sendable () throws -> any LogReader,
        pulling pull: ExactPull, goesOn: (Position) -> Bool
    ) throws -> Bool {
        guard store.position < last else { return true }
        var kept = store.position
        var foreign = 0
        do {
            try fold(
                from: kept + 1, through: last, reading: { VerifyingReader(try open()) },
                pulling: { feed, checkpoint, place in
                    let entries = try pull(feed, checkpoint, place)
                    foreign += entries.count
                    return entries
                },
                reached: { position in
                    let isEnding = !goesOn(position) || position == last
                    guard isEnding || Int(position - kept) + foreign >= HostLimits.eventsUnflushed else { return }
                    try store.flush(at: position)
                    (kept, foreign) = (position, 0)
                    if isEnding { throw Ended() }
                })
        } catch is Ended {}
        return kept == last
    }

    /// The foreign entries of intake entries, as the hub's own database holds them. One that is missing, or is not what
    /// was written, is an error.
    public static func pull(mirroredBy open: @escaping (String) throws -> any MirrorReader) -> ExactPull {
        var readers: [String: any MirrorReader] = [:]
        return { feed, checkpoint, last in
            let reader = try readers[feed] ?? open(feed)
            readers[feed] = reader
            let first = (checkpoint?.position ?? 0) + 1
            let isPresent = try reader.hash(at: last.position) == last.hash
            // Of a journal that was restored since, what was read then.
            let page =
                isPresent
                ? try reader.read(
                    from: first, events: min(EventLimits.pageEvents, Int(last.position - first) + 1),
                    bytes: EventLimits.pageBytes)
                : try reader.history(from: first, through: last)
            guard let beginning = page.first else {
                throw LogFailure.changed(feed, at: last.position)
            }
            // Where the chain of an earlier life begins is not kept: its first entry is taken as it stands.
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
    /// What is there to be folded is not what was written.
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
