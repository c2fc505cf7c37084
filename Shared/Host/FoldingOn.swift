public import EventSourcing
import EventStore

extension Folding {
    /// Folds on from where a store stands, keeping it every so often. Ends early, with what is folded kept, once
    /// `goesOn` says no; gives whether it reached `last`.
    func fold(
        on store: any TableStore, through last: Position, reading open: @escaping @Sendable () throws -> any LogReader,
        pulling pull: ExactPull, goesOn: (Position) -> Bool
    ) throws -> Bool {
        guard store.position < last else { return true }
        var kept = store.position
        var foreign = 0
        do {
            try fold(
                from: kept + 1, through: last, reading: open,
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

    /// The foreign entries of intake entries, as the hub's own database holds them.
    public static func pull(mirroredBy open: @escaping (String) throws -> any MirrorReader) -> ExactPull {
        var readers: [String: any MirrorReader] = [:]
        return { feed, checkpoint, last in
            let reader = try readers[feed] ?? open(feed)
            readers[feed] = reader
            let first = (checkpoint?.position ?? 0) + 1
            // Of a journal that was restored since, what was read then.
            guard try reader.hash(at: last.position) == last.hash else {
                return try reader.history(from: first, through: last)
            }
            return try reader.read(
                from: first, events: min(Limits.pageEvents, Int(last.position - first) + 1), bytes: Limits.pageBytes)
        }
    }
}

private struct Ended: Error {}
