public import EventSourcing

/// The tables that a service's views fold into, with the journal position up to which they are folded.
///
/// Changes are seen at once by whoever changes them and kept by `flush`, all of them and the position or nothing. What
/// is kept is disposable: another shape than the declared one empties the tables and sets the position to 0.
public protocol TableStore: Tables {
    /// Up to where the journal was folded when the tables were flushed last; 0 for empty tables.
    var position: Position { get }

    /// Keeps everything changed so far, in one transaction with the position.
    ///
    /// The journal must be committed up to there. Throws the first failure since the store was opened.
    func flush(at position: Position) throws(LogFailure)

    /// Whether a flush is a write of its own that may come later than the commit of the journal: what a crash takes is
    /// folded again at the next start. Unless said, it is not.
    var mayLag: Bool { get }

    /// The digest of every table the storage has, declared or not, with what is not flushed yet; in order of names.
    func digests() throws(LogFailure) -> [TableDigest]

    /// Empties all tables and sets the position to 0.
    func wipe() throws(LogFailure)

    /// Ends the store: what is not flushed is dropped. Nothing to do unless said.
    func close() throws(LogFailure)

    /// The place from which these tables were taken when they were opened, if another than where they lay.
    var taken: ViewGeneration? { get }
}

extension TableStore {
    public var mayLag: Bool { false }
    public var taken: ViewGeneration? { nil }
    public func close() throws(LogFailure) {}
}

/// What a table holds, as one number: equal for equal rows, whatever stores them (`RowDigest`).
public struct TableDigest: Sendable, Equatable {
    public let table: String
    public let rows: Int
    /// SHA-256 in hex.
    public let digest: String

    public init(table: String, rows: Int, digest: String) {
        self.table = table
        self.rows = rows
        self.digest = digest
    }
}
