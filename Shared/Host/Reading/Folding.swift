public import EventSourcing
public import Events
import JSON
import Vocabulary

/// Projects a service's journal into tables: while it runs, after a restart, or for an audit.
///
/// Events are always applied in the order of that one journal, foreign events at the checkpoint event that names them.
///
/// ```
/// let folding = Folding<TraceLedger>(of: "trace-ledger/0", into: tables)
/// for entry in entries { try folding.fold(entry, pulling: pull) }
/// ```
public struct Folding<S: Service> {
    private let own: String
    /// The tables to project into.
    public let tables: any Tables
    /// See ``Service/onlyWitnesses(_:)``.
    let onlyWitnesses: Bool

    /// Creates the projection of the journal of `origin` into `tables`.
    public init(of origin: String, into tables: any Tables) {
        own = origin
        self.tables = tables
        onlyWitnesses = Origin(origin).map(S.onlyWitnesses) ?? false
    }

    private var parkedEvents: ParkedEventTable { ParkedEventTable(tables: tables) }

    /// The schemas of all tables: the service's own, the checkpoints of its feeds, and the parked events.
    public static var schemas: [TableSchema] {
        S.tables + [FeedCheckpointRow.schema, ParkedRow.schema, BlockedStreamRow.schema]
    }

    /// Reads entries of a feed: those after a checkpoint (nil: from the first) through a position. It may return only
    /// the first of them, such as a page, and is then called for the rest; returns none if there are none.
    public typealias Pull = (_ feed: String, _ after: Checkpoint?, _ through: Position) throws -> [Entry]

    /// Reads like `Pull`, through the checkpoint of a checkpoint event. If the journal was restored since, it reads the
    /// former history.
    public typealias ExactPull = (_ feed: String, _ after: Checkpoint?, _ through: Checkpoint) throws -> [Entry]

    /// Projects one entry of the journal. `pull` reads the foreign events that a checkpoint event names.
    public func fold(_ entry: Entry, pulling pull: Pull) throws {
        try foldExactly(entry) { try pull($0, $1, $2.position) }
    }

    /// Projects one entry of the journal. `pull` reads the foreign events that a checkpoint event names, by their exact
    /// checkpoint.
    public func foldExactly(_ entry: Entry, pulling pull: ExactPull) throws {
        guard !entry.isPruned else { return }
        try foldExactly(RecordedEvent(reading: entry.bytes), pulling: pull)
    }

    /// Projects one event of the journal.
    private func foldExactly(_ recorded: RecordedEvent, pulling pull: ExactPull) throws {
        guard case .journal(.feedConsumed(let checkpointEvent)) = recorded.fact else { return fold(own: recorded) }
        let last = Checkpoint(
            epoch: checkpointEvent.epoch, position: checkpointEvent.last, hash: Hex.decode(checkpointEvent.hash) ?? [])
        let parked = Set(checkpointEvent.parked.map(\.position))
        var waiting: [Entry] = []
        var place = checkpoint(of: checkpointEvent.feed)
        // A checkpoint event may span millions of entries that the service does not project, so it is processed page by
        // page.
        while place?.position ?? 0 < last.position {
            let entries = try pull(checkpointEvent.feed, place, last)
            guard let end = entries.last else { break }
            for entry in entries {
                guard !parked.contains(entry.position) else {
                    waiting.append(entry)
                    continue
                }
                guard !entry.isPruned else { continue }
                let recorded = try RecordedEvent(reading: entry.bytes)
                if isProjected(recorded) { S.fold(recorded, into: tables) }
            }
            place = Checkpoint(epoch: last.epoch, position: end.position, hash: end.hash)
        }
        fold(foreign: [], parking: waiting, naming: checkpointEvent)
    }

    /// Projects a range of the journal, which another thread reads and decodes ahead. Calls `reached` with the position
    /// from time to time, and after each checkpoint event, which may project many foreign events.
    public func fold(
        from first: Position, through last: Position, reading open: @escaping @Sendable () throws -> any LogReader,
        pulling pull: ExactPull, reached: (Position) throws -> Void
    ) throws {
        let ahead = try EntryPrefetcher(from: first, through: last, open: open)
        while case let page = try ahead.next(), let end = page.end {
            for recorded in page.events {
                try foldExactly(recorded, pulling: pull)
                guard recorded.envelope.position < end else { break }
                if case .journal(.feedConsumed) = recorded.fact { try reached(recorded.envelope.position) }
            }
            try reached(end)
        }
    }

    /// Projects an event that the service has just written.
    public func fold(own recorded: RecordedEvent) {
        switch recorded.fact {
        case .journal(.parkedResolved(let resolved)): fold(resolved)
        case .journal(.followAccepted(let accepted)): fold(accepted)
        case .journal(.checkpointWitnessed(let witnessed)) where onlyWitnesses: fold(witnessed)
        case .journal(.journalPruned), .journal(.witnessRequested), .journal(.clockStepped), .journal(.clockTrusted):
            S.fold(recorded, into: tables)
        case .journal: break
        default: S.fold(recorded, into: tables)
        }
    }

    /// Projects the foreign events that a checkpoint event names. Those it parks are stored with their bytes from
    /// `entries`.
    public func fold(
        foreign projected: [RecordedEvent], parking entries: [Entry] = [], naming checkpointEvent: FeedConsumed
    ) {
        for recorded in projected { S.fold(recorded, into: tables) }
        let last = Checkpoint(
            epoch: checkpointEvent.epoch, position: checkpointEvent.last, hash: Hex.decode(checkpointEvent.hash) ?? [])
        moveCheckpoint(last, of: checkpointEvent.feed)
        for parked in checkpointEvent.parked {
            let bytes = entries.first { $0.position == parked.position }?.bytes ?? []
            parkedEvents.add(
                ParkedRow(feed: checkpointEvent.feed, epoch: checkpointEvent.epoch, parked: parked, bytes: bytes))
        }
    }

    private func moveCheckpoint(_ place: Checkpoint, of feed: String) {
        var row = tables.get(FeedCheckpointRow.self, feed) ?? FeedCheckpointRow(feed: feed, checkpoint: place)
        row.checkpoint = place
        tables.put(row)
    }

    /// Applies, removes or parks again a parked event, as the recorded outcome requires.
    private func fold(_ resolved: ParkedResolved) {
        guard let row = tables.get(ParkedRow.self, ParkedRow.key(resolved.feed, resolved.position)) else { return }
        guard resolved.outcome != ParkedResolved.parked else {
            return parkedEvents.park(row, because: resolved.reason ?? row.reason)
        }
        parkedEvents.remove(row)
        guard resolved.outcome == ParkedResolved.retried else { return }
        do throws(JSONError) {
            let recorded = try RecordedEvent(reading: row.bytes)
            if isProjected(recorded) { S.fold(recorded, into: tables) }
        } catch {
            // The build that recorded the outcome could read the event. A build that cannot is older and does not
            // project it.
            return
        }
    }

    /// Moves the checkpoint back to the accepted position.
    private func fold(_ accepted: FollowAccepted) {
        let place = Checkpoint(
            epoch: accepted.epoch, position: accepted.keptTo, hash: Hex.decode(accepted.keptHash) ?? [])
        moveCheckpoint(place, of: accepted.feed)
    }

    /// Moves the checkpoint of an origin that only witnesses; it needs nothing of the entries before.
    private func fold(_ witnessed: CheckpointWitnessed) {
        let place = Checkpoint(
            epoch: witnessed.epoch, position: witnessed.position, hash: Hex.decode(witnessed.hash) ?? [])
        moveCheckpoint(place, of: witnessed.feed)
    }

    /// Returns the checkpoint after which the subscription of a feed continues; nil before the first checkpoint event.
    public func checkpoint(of feed: String) -> Checkpoint? {
        tables.get(FeedCheckpointRow.self, feed)?.checkpoint
    }

    /// Returns whether the service projects a foreign event. Its own events are projected already. Of other journals'
    /// events about themselves, these are projected: pruned reports, because data that rests on them is removed too; a
    /// clock that was set back, because earlier events carry times of the former clock; and clock marks, if the service
    /// takes them.
    public func isProjected(_ recorded: RecordedEvent) -> Bool {
        switch recorded.fact {
        case .journal(.journalPruned(let pruned)) where pruned.positions.isEmpty: false
        case .journal(.journalPruned): recorded.envelope.origin.description != own
        case .journal(.clockStepped(let step)): step.seconds < 0 && recorded.envelope.origin.description != own
        case .journal(.clockTrusted): S.takesClockMarks && recorded.envelope.origin.description != own
        case .journal: false
        default: recorded.envelope.origin.description != own
        }
    }
}
