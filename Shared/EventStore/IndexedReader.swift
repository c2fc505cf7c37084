public import EventSourcing

/// A reader that can hold what its store keeps beside the events' bytes against what these say: where an id is, the
/// versions of streams, how far each origin is mirrored, kept answers, and what the tables tell of themselves.
///
/// Nothing vouches for the id and the stream of an event that was let go, nor for the hub's salt of it.
public protocol IndexedReader: LogReader {
    /// The first of it that is not so, in words; nil where all of it is. Reads the whole journal: for a thread of its
    /// own. Fails where the store cannot be reached, or where `goesOn` ends it.
    ///
    /// - Parameter goesOn: told after every piece of work how far it is; false ends it.
    func indexFlaw(_ goesOn: (Position) -> Bool) throws(LogFailure) -> String?
}

extension LogFailure {
    static var checkEnded: LogFailure {
        LogFailure(operation: "check the index", message: "it was ended", isAway: true)
    }
}
