public import EventSourcing
public import Events
import JSON
import Vocabulary

/// Folds a service's journal into tables, live, after a restart, or for an audit: always in the order of that one
/// journal, foreign events at the intake entry that names them.
public struct Folding<S: Service> {
    private let own: String
    public let tables: any Tables

    public init(of origin: String, into tables: any Tables) {
        own = origin
        self.tables = tables
    }

    /// Every table there is: the service's own, and how far its feeds are taken in.
    public static var schemas: [TableSchema] { S.tables + [IntakeRow.schema] }

    /// Reads entries of a feed: those after a checkpoint (nil: from the first), through a position.
    public typealias Pull = (_ feed: String, _ after: Checkpoint?, _ through: Position) throws -> [Entry]

    /// One entry of the journal. `pull` is asked for the foreign events that an intake entry names.
    public func fold(_ entry: Entry, pulling pull: Pull) throws {
        try fold(Told(reading: entry.bytes), pulling: pull)
    }

    /// One event of the journal.
    public func fold(_ told: Told, pulling pull: Pull) throws {
        if case .journal(let fact) = told.fact {
            if case .intakeTaken(let intake) = fact {
                let entries = try pull(intake.feed, checkpoint(of: intake.feed), intake.last)
                fold(foreign: try news(in: entries, but: intake.parked), naming: intake)
            }
            return
        }
        S.fold(told, into: tables)
    }

    /// A whole run of the journal, read and decoded on another thread meanwhile; `reached` is told now and then how far
    /// it is.
    public func fold(
        from first: Position, through last: Position, reading open: @escaping @Sendable () throws -> any LogReader,
        pulling pull: Pull, reached: (Position) throws -> Void
    ) throws {
        let ahead = try ReadAhead(from: first, through: last, open: open)
        while case let page = try ahead.next(), let end = page.last {
            for told in page { try fold(told, pulling: pull) }
            try reached(end.envelope.position)
        }
    }

    /// An event that the service itself has just written.
    public func fold(own told: Told) {
        if case .journal = told.fact { return }
        S.fold(told, into: tables)
    }

    /// The foreign events that an intake entry names.
    public func fold(foreign news: [Told], naming intake: IntakeTaken) {
        for told in news { S.fold(told, into: tables) }
        let parked = (tables.get(IntakeRow.self, intake.feed)?.parked ?? 0) + intake.parked.count
        tables.put(
            IntakeRow(
                feed: intake.feed,
                checkpoint: Checkpoint(
                    epoch: intake.epoch, position: intake.last, hash: Hex.decode(intake.hash) ?? []),
                parked: parked))
    }

    /// Where following a feed goes on.
    public func checkpoint(of feed: String) -> Checkpoint? {
        tables.get(IntakeRow.self, feed)?.checkpoint
    }

    /// The foreign events that the service folds: not its own, which it has folded already, and not what other
    /// journals tell about themselves, which is nobody's news.
    public func isNews(_ told: Told) -> Bool {
        if case .journal = told.fact { return false }
        return told.envelope.origin.description != own
    }

    private func news(in entries: [Entry], but parked: [Parked]) throws -> [Told] {
        let skipped = Set(parked.map(\.position))
        var news: [Told] = []
        for entry in entries where !skipped.contains(entry.position) {
            let told = try Told(reading: entry.bytes)
            if isNews(told) { news.append(told) }
        }
        return news
    }
}
