public import EventSourcing

/// The tables of a service's projections, with the journal position up to which they are projected.
///
/// Changes are visible to the writer at once. `flush` stores all of them together with the position, or nothing. The
/// tables are disposable: if the stored shape differs from the declared one, they are emptied and the position is 0.
public protocol TableStore: Tables {
    /// The journal position of the last flush; 0 for empty tables.
    var position: Position { get }

    /// Stores all changes, in one transaction with the position.
    ///
    /// Requires the journal to be committed up to `position`. Throws the first failure since the store was opened.
    func flush(at position: Position) throws(LogFailure)

    /// Whether a flush is a separate transaction that may be later than the journal's commit; false by default.
    ///
    /// After a crash, a service projects the events after `position` again.
    var mayLag: Bool { get }

    /// Returns the digest of every table in the storage, in order of names, including undeclared tables and unflushed
    /// changes.
    func digests() throws(LogFailure) -> [TableDigest]

    /// Empties all tables and sets the position to 0.
    func wipe() throws(LogFailure)

    /// Closes the store and drops unflushed changes; does nothing by default.
    func close() throws(LogFailure)

    /// The generation that became live when these tables were opened; nil if the live ones were used.
    var taken: ViewGeneration? { get }
}

extension TableStore {
    /// False: a flush is part of the journal's commit.
    public var mayLag: Bool { false }
    /// Nil: the tables have no other generations.
    public var taken: ViewGeneration? { nil }
    /// Does nothing.
    public func close() throws(LogFailure) {}
}

/// The digest of a table's contents, which is the same for equal rows in every storage (`RowDigest`).
public struct TableDigest: Sendable, Equatable {
    /// The name of the table.
    public let table: String
    /// The number of rows.
    public let rows: Int
    /// SHA-256 in hex.
    public let digest: String

    /// Creates a digest.
    public init(table: String, rows: Int, digest: String) {
        self.table = table
        self.rows = rows
        self.digest = digest
    }
}
