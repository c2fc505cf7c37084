import EventSourcing
import EventStore
import Host

/// Folds a service's tables anew as its journal is read. They lie in a file, so that it takes as much memory for a
/// journal of years as for one of a day.
struct Reprojection<S: Service> {
    private let tables: SQLiteTables
    private let folding: Folding<S>
    private(set) var position: Position = 0
    private var folded = 0

    /// Entries between two flushes.
    private static var pace: Int { 8192 }

    init(_ type: S.Type, of origin: Origin, in home: String) throws(LogFailure) {
        tables = try SQLiteTables(namelessIn: home, Folding<S>.schemas)
        folding = Folding<S>(of: origin.description, into: tables)
    }

    /// The next entry. `pull` gives the foreign events that an intake entry names: of a feed, through a position.
    mutating func fold(_ entry: Entry, pulling pull: (String, Position) throws -> [Entry]) throws {
        try folding.fold(entry) { feed, _, last in try pull(feed, last) }
        position = entry.position
        folded += 1
        if folded.isMultiple(of: Self.pace) { try tables.flush(at: position) }
    }

    func digests() throws(LogFailure) -> [TableDigest] {
        try tables.flush(at: position)
        return try tables.digests()
    }
}
