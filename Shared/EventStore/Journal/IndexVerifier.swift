public import EventSourcing

/// A reader that can hold what its store keeps beside the events' bytes against what these say: where an id is, the
/// versions of streams, how far each origin is mirrored, kept answers, and what the tables tell of themselves.
///
/// Nothing vouches for the id and the stream of an event that was let go, nor for the hub's salt of it.
public protocol IndexVerifier: LogReader {
    /// Reports each mismatch in words and continues behind it. Reads the whole journal, so call it on a thread of its
    /// own. Throws where the store cannot be read, or where `goesOn` ends it.
    ///
    /// - Parameters:
    ///   - goesOn: called after every piece of work with the position reached; false ends the check.
    ///   - found: called with each mismatch.
    func indexFlaws(_ goesOn: (Position) -> Bool, _ found: (String) -> Void) throws(LogFailure)
}

extension IndexVerifier {
    /// Returns the first mismatch, or nil if there is none.
    public func indexFlaw(_ goesOn: (Position) -> Bool) throws(LogFailure) -> String? {
        var first: String?
        try indexFlaws(goesOn) { first = first ?? $0 }
        return first
    }
}

extension LogFailure {
    package static var checkEnded: LogFailure {
        LogFailure(operation: "check the index", message: "it was ended", isAway: true)
    }
}
