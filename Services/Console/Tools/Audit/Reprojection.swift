import EventSourcing
import EventStore
import Host

/// Rebuilds a service's tables while its journal is read.
///
/// The tables are in a file, so memory use does not depend on the journal's length.
struct Reprojection<S: Service> {
    private let tables: SQLiteTables
    private let folding: Folding<S>
    private(set) var position: Position = 0
    private var folded = 0

    /// The number of entries between two flushes.
    private static var pace: Int { 8192 }

    init(_ type: S.Type, of origin: Origin, in home: String) throws(LogFailure) {
        tables = try SQLiteTables(namelessIn: home, Folding<S>.schemas)
        folding = Folding<S>(of: origin.description, into: tables)
    }

    /// Applies the next entry. `pull` returns the foreign events of a feed, up to a position, that a checkpoint event
    /// names.
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
