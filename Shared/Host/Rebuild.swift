public import EventSourcing
public import EventStore

/// How a run of a rebuild ended.
public enum RebuildOutcome: Equatable, Sendable {
    /// It was asked to end; the next run goes on from here.
    case paused(at: Position, of: Position)
    /// As far as the live tables reach, and compared with them there.
    case compared(at: Position, [ViewComparison])
    /// Rebuilt, and the live tables reach less far (nil: there are none): for a moment after a flush or a crash, or
    /// while they are folded anew themselves.
    case uncompared(at: Position, live: Position?)
}

/// Folds a service's journal into tables beside its live ones while the service, of this build or another, goes on.
///
/// It folds and never steps: nothing is decided, appended, asked or said, so no side effect happens again. What is
/// folded is kept as it goes, so a rebuild that ends in the middle, however it ends, goes on from there.
public struct Rebuild<S: Service> {
    private let viewStore: any ViewStore
    private let feed: String
    private let reading: @Sendable () throws -> any LogReader
    private let pull: Folding<S>.ExactPull

    /// So many events are folded while a look at the live tables is held, which keeps their database from tidying up.
    static var eventsWhileLooking: Position { Position(HostLimits.eventsUnflushed) }

    public init(
        of feed: String, in viewStore: any ViewStore, reading open: @escaping @Sendable () throws -> any LogReader,
        pulling pull: @escaping Folding<S>.ExactPull
    ) {
        self.feed = feed
        self.viewStore = viewStore
        reading = open
        self.pull = pull
    }

    /// - Parameter goesOn: told how far it is of how far it has to go, from the beginning on; answers whether to go on.
    public func run(goesOn: (Position, Position) -> Bool) throws -> RebuildOutcome {
        let tables = try viewStore.next(Folding<S>.schemas)
        // Of a journal that reached further before it was restored.
        if try tables.position > reading().head().position { try tables.wipe() }
        let outcome = try run(tables, goesOn)
        try tables.close()
        return outcome
    }

    private func run(_ tables: any TableStore, _ goesOn: (Position, Position) -> Bool) throws -> RebuildOutcome {
        let folding = Folding<S>(of: feed, into: tables)
        // First all there is; what comes meanwhile is little, and is folded while a look at the live tables is held.
        var isClose = false
        while true {
            var live = try viewStore.look(at: .live)
            let (reached, head) = (live?.position, try reading().head().position)
            let goal = reached.flatMap { $0 + Self.eventsWhileLooking >= head ? $0 : nil } ?? head
            guard goal >= tables.position else { return .uncompared(at: tables.position, live: reached) }
            if !isClose { live = nil }
            guard goesOn(tables.position, goal),
                try folding.fold(
                    on: tables, through: goal, reading: reading, pulling: pull, goesOn: { goesOn($0, goal) })
            else { return .paused(at: tables.position, of: goal) }
            guard isClose else {
                isClose = try reading().head().position - goal <= Self.eventsWhileLooking
                continue
            }
            guard let live, live.position == goal, let next = try viewStore.look(at: .next) else {
                return .uncompared(at: goal, live: reached)
            }
            return .compared(at: goal, try ViewComparison.all(live: live, next: next))
        }
    }
}
