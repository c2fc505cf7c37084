public import EventSourcing
public import EventStore

/// The outcome of a run of a rebuild.
public enum RebuildOutcome: Equatable, Sendable {
    /// It was paused on request; the next run continues from here.
    case paused(at: Position, of: Position)
    /// It reached the position of the live tables and was compared with them there.
    case compared(at: Position, [ViewComparison])
    /// It is complete, but the live tables are behind (nil: there are none). This is so for a moment after a flush or a
    /// crash, or while they are rebuilt themselves.
    case uncompared(at: Position, live: Position?)
}

/// Rebuilds a service's read model beside the live one while the service, of this build or another, keeps running.
///
/// A rebuild projects and never steps: nothing is decided, appended, requested or sent, so no side effect is repeated.
/// The tables are flushed at intervals, so an interrupted rebuild continues from the last flush.
///
/// ```
/// let rebuild = Rebuild<TraceLedger>(of: feed, in: viewStore, reading: open, pulling: pull)
/// let outcome = try rebuild.run { position, goal in !isInterrupted }
/// ```
public struct Rebuild<S: Service> {
    private let viewStore: any ViewStore
    private let feed: String
    private let reading: @Sendable () throws -> any LogReader
    private let pull: Folding<S>.ExactPull

    /// The most events to project while a snapshot of the live tables is open, because it keeps their database from
    /// compacting.
    static var eventsDuringSnapshot: Position { Position(HostLimits.eventsUnflushed) }

    /// Creates a rebuild of the journal `feed` in `viewStore`.
    public init(
        of feed: String, in viewStore: any ViewStore, reading open: @escaping @Sendable () throws -> any LogReader,
        pulling pull: @escaping Folding<S>.ExactPull
    ) {
        self.feed = feed
        self.viewStore = viewStore
        reading = open
        self.pull = pull
    }

    /// Runs the rebuild until it is complete or paused. Throws if the journal or the store cannot be read or written.
    ///
    /// - Parameter shouldContinue: called with the position and the goal, also at the beginning; returns whether to
    ///   continue.
    public func run(shouldContinue: (Position, Position) -> Bool) throws -> RebuildOutcome {
        let tables = try viewStore.next(Folding<S>.schemas)
        // The journal was restored, and the tables are ahead of it.
        if try tables.position > reading().head().position { try tables.wipe() }
        let outcome = try run(tables, shouldContinue)
        try tables.close()
        return outcome
    }

    private func run(_ tables: any TableStore, _ shouldContinue: (Position, Position) -> Bool) throws -> RebuildOutcome
    {
        let folding = Folding<S>(of: feed, into: tables)
        // Projects the bulk first. The little that is appended meanwhile is projected while a snapshot of the live
        // tables is open.
        var isClose = false
        while true {
            var live = try viewStore.look(at: .live)
            let (reached, head) = (live?.position, try reading().head().position)
            let goal = reached.flatMap { $0 + Self.eventsDuringSnapshot >= head ? $0 : nil } ?? head
            guard goal >= tables.position else { return .uncompared(at: tables.position, live: reached) }
            if !isClose { live = nil }
            guard shouldContinue(tables.position, goal),
                try folding.fold(
                    on: tables, through: goal, reading: reading, pulling: pull,
                    shouldContinue: { shouldContinue($0, goal) })
            else { return .paused(at: tables.position, of: goal) }
            guard isClose else {
                isClose = try reading().head().position - goal <= Self.eventsDuringSnapshot
                continue
            }
            guard let live, live.position == goal, let next = try viewStore.look(at: .next) else {
                return .uncompared(at: goal, live: reached)
            }
            return .compared(at: goal, try ViewComparison.all(live: live, next: next))
        }
    }
}
