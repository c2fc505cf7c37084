public import EventSourcing

/// All places where tables of one service's views lie.
public protocol ViewStore {
    /// The tables of a place as they are kept at this moment; nil where there are none.
    func look(at place: ViewGeneration) throws(LogFailure) -> (any ViewSnapshot)?

    /// The tables to rebuild into: those of an interrupted rebuild of the same shape, or empty ones.
    func next(_ schemas: [TableSchema]) throws(LogFailure) -> any TableStore

    /// Has tables lie in another place, in one step; what lay there goes. Nobody may be writing either.
    func move(_ place: ViewGeneration, to other: ViewGeneration) throws(LogFailure)

    func remove(_ place: ViewGeneration) throws(LogFailure)
}

/// Tables as they are kept at one moment, of whatever shape; whoever writes them goes on meanwhile.
public protocol ViewSnapshot: AnyObject {
    /// Up to where the journal is folded.
    var position: Position { get }
    /// Equal texts mean that the same build folds them.
    var shape: String { get }
    func digests() throws(LogFailure) -> [TableDigest]
}
