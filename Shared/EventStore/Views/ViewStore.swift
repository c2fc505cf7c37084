public import EventSourcing

/// The generations of one service's view tables in its storage.
public protocol ViewStore {
    /// Returns a snapshot of the tables of a generation; nil if there are none.
    func look(at place: ViewGeneration) throws(LogFailure) -> (any ViewSnapshot)?

    /// Returns the tables of a rebuild: those of an interrupted one of the same shape, or empty ones.
    func next(_ schemas: [TableSchema]) throws(LogFailure) -> any TableStore

    /// Renames a generation in one step. Replaces the tables that had the other name. Requires that no process writes
    /// either of them.
    func move(_ place: ViewGeneration, to other: ViewGeneration) throws(LogFailure)

    /// Removes the tables of a generation, if there are any.
    func remove(_ place: ViewGeneration) throws(LogFailure)
}

/// The view tables at one moment, of any shape, while another thread or process may write them.
public protocol ViewSnapshot: AnyObject {
    /// The journal position up to which the tables are projected.
    var position: Position { get }
    /// The declared tables as a text; tables with equal texts are interchangeable.
    var shape: String { get }
    /// Returns the digest of every table, in order of names.
    func digests() throws(LogFailure) -> [TableDigest]
}
