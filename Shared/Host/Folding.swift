public import EventSourcing
public import Events
import JSON
import Vocabulary

/// Folds a service's journal into tables, live, after a restart, or for an audit: always in the order of that one
/// journal, foreign events at the intake entry that names them.
public struct Folding<S: Service> {
    private let own: String
    public let tables: any Tables
    /// See ``Service/onlyWitnesses(_:)``.
    let onlyWitnesses: Bool

    public init(of origin: String, into tables: any Tables) {
        own = origin
        self.tables = tables
        onlyWitnesses = Origin(origin).map(S.onlyWitnesses) ?? false
    }

    private var holding: ParkedEventTable { ParkedEventTable(tables: tables) }

    /// Every table there is: the service's own, how far its feeds are taken in, and what of them waits.
    public static var schemas: [TableSchema] {
        S.tables + [FeedCheckpointRow.schema, ParkedRow.schema, BlockedStreamRow.schema]
    }

    /// Reads entries of a feed: those after a checkpoint (nil: from the first), through a position. It may give the
    /// first of them, a page say, and is asked for the rest then; none where there are none.
    public typealias Pull = (_ feed: String, _ after: Checkpoint?, _ through: Position) throws -> [Entry]

    /// The same through the place that an intake entry names: of a journal that was restored since, its earlier life.
    public typealias ExactPull = (_ feed: String, _ after: Checkpoint?, _ through: Checkpoint) throws -> [Entry]

    /// One entry of the journal. `pull` is asked for the foreign events that an intake entry names.
    public func fold(_ entry: Entry, pulling pull: Pull) throws {
        try foldExactly(entry) { try pull($0, $1, $2.position) }
    }

    /// One entry of the journal. `pull` is asked for the foreign events that an intake entry names.
    public func foldExactly(_ entry: Entry, pulling pull: ExactPull) throws {
        guard !entry.isPruned else { return }
        try foldExactly(RecordedEvent(reading: entry.bytes), pulling: pull)
    }

    /// One event of the journal.
    private func foldExactly(_ told: RecordedEvent, pulling pull: ExactPull) throws {
        guard case .journal(.feedConsumed(let intake)) = told.fact else { return fold(own: told) }
        let last = Checkpoint(epoch: intake.epoch, position: intake.last, hash: Hex.decode(intake.hash) ?? [])
        let parked = Set(intake.parked.map(\.position))
        var waiting: [Entry] = []
        var place = checkpoint(of: intake.feed)
        // An entry may name millions that were nobody's news: they are read and left page by page.
        while place?.position ?? 0 < last.position {
            let entries = try pull(intake.feed, place, last)
            guard let end = entries.last else { break }
            for entry in entries {
                guard !parked.contains(entry.position) else {
                    waiting.append(entry)
                    continue
                }
                guard !entry.isPruned else { continue }
                let told = try RecordedEvent(reading: entry.bytes)
                if isNews(told) { S.fold(told, into: tables) }
            }
            place = Checkpoint(epoch: last.epoch, position: end.position, hash: end.hash)
        }
        fold(foreign: [], parking: waiting, naming: intake)
    }

    /// A whole run of the journal, read and decoded on another thread meanwhile; `reached` is told now and then how far
    /// it is, and after each entry that took foreign events in, which may be many.
    public func fold(
        from first: Position, through last: Position, reading open: @escaping @Sendable () throws -> any LogReader,
        pulling pull: ExactPull, reached: (Position) throws -> Void
    ) throws {
        let ahead = try EntryPrefetcher(from: first, through: last, open: open)
        while case let page = try ahead.next(), let end = page.end {
            for told in page.events {
                try foldExactly(told, pulling: pull)
                guard told.envelope.position < end else { break }
                if case .journal(.feedConsumed) = told.fact { try reached(told.envelope.position) }
            }
            try reached(end)
        }
    }

    /// An event that the service itself has just written.
    public func fold(own told: RecordedEvent) {
        switch told.fact {
        case .journal(.parkedResolved(let resolved)): fold(resolved)
        case .journal(.followAccepted(let accepted)): fold(accepted)
        case .journal(.checkpointWitnessed(let witnessed)) where onlyWitnesses: fold(witnessed)
        case .journal(.pruned), .journal(.witnessRequested), .journal(.clockStepped), .journal(.clockTrusted):
            S.fold(told, into: tables)
        case .journal: break
        default: S.fold(told, into: tables)
        }
    }

    /// The foreign events that an intake entry names. Those it parks wait with their bytes, which stand in `entries`.
    public func fold(foreign news: [RecordedEvent], parking entries: [Entry] = [], naming intake: FeedConsumed) {
        for told in news { S.fold(told, into: tables) }
        let last = Checkpoint(epoch: intake.epoch, position: intake.last, hash: Hex.decode(intake.hash) ?? [])
        reach(last, of: intake.feed)
        for parked in intake.parked {
            let bytes = entries.first { $0.position == parked.position }?.bytes ?? []
            holding.add(ParkedRow(feed: intake.feed, epoch: intake.epoch, parked: parked, bytes: bytes))
        }
    }

    private func reach(_ place: Checkpoint, of feed: String) {
        var row = tables.get(FeedCheckpointRow.self, feed) ?? FeedCheckpointRow(feed: feed, checkpoint: place)
        row.checkpoint = place
        tables.put(row)
    }

    /// What is parked is applied where the journal says so, or never, or stays for a reason of its own.
    private func fold(_ resolved: ParkedResolved) {
        guard let row = tables.get(ParkedRow.self, ParkedRow.key(resolved.feed, resolved.position)) else { return }
        guard resolved.outcome != ParkedResolved.parked else {
            return holding.park(row, because: resolved.reason ?? row.reason)
        }
        holding.remove(row)
        guard resolved.outcome == ParkedResolved.retried else { return }
        do throws(JSONError) {
            let told = try RecordedEvent(reading: row.bytes)
            if isNews(told) { S.fold(told, into: tables) }
        } catch {
            // Whoever wrote that it was applied could read it; a build that cannot is older and has no use for it.
            return
        }
    }

    /// Following goes on from an earlier place.
    private func fold(_ accepted: FollowAccepted) {
        let place = Checkpoint(
            epoch: accepted.epoch, position: accepted.keptTo, hash: Hex.decode(accepted.keptHash) ?? [])
        reach(place, of: accepted.feed)
    }

    /// Whoever only witnesses goes on from there: it needs nothing of what stands before.
    private func fold(_ witnessed: CheckpointWitnessed) {
        let place = Checkpoint(
            epoch: witnessed.epoch, position: witnessed.position, hash: Hex.decode(witnessed.hash) ?? [])
        reach(place, of: witnessed.feed)
    }

    /// Where following a feed goes on.
    public func checkpoint(of feed: String) -> Checkpoint? {
        tables.get(FeedCheckpointRow.self, feed)?.checkpoint
    }

    /// The foreign events that the service folds: not its own, which it has folded already, and of what other journals
    /// tell about themselves only that reports were let go, for what rests on these has to go, too, and that the clock
    /// was set back, for what they told before was told by the clock as it was.
    public func isNews(_ told: RecordedEvent) -> Bool {
        switch told.fact {
        case .journal(.pruned(let pruned)) where pruned.positions.isEmpty: false
        case .journal(.pruned): told.envelope.origin.description != own
        case .journal(.clockStepped(let step)): step.seconds < 0 && told.envelope.origin.description != own
        case .journal: false
        default: told.envelope.origin.description != own
        }
    }
}
