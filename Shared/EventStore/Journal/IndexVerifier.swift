public import EventSourcing

/// A reader that verifies what its store derives from the events: the positions of ids, the versions of streams, the
/// mirrored heads of origins, stored responses and the store's metadata.
///
/// For a pruned event, its id, its stream and the hub's salt cannot be verified.
public protocol IndexVerifier: LogReader {
    /// Reports each mismatch in words and continues after it. Reads the whole journal, so call it on a thread of its
    /// own.
    ///
    /// Throws if the store cannot be read, or if `shouldContinue` ends the check.
    ///
    /// - Parameters:
    ///   - shouldContinue: called after each page with the position reached; returns false to end the check.
    ///   - found: called with each mismatch.
    func indexFlaws(_ shouldContinue: (Position) -> Bool, _ found: (String) -> Void) throws(LogFailure)
}

extension IndexVerifier {
    /// Returns the first mismatch, or nil if there is none.
    public func indexFlaw(_ shouldContinue: (Position) -> Bool) throws(LogFailure) -> String? {
        var first: String?
        try indexFlaws(shouldContinue) { first = first ?? $0 }
        return first
    }
}

extension LogFailure {
    package static var checkEnded: LogFailure {
        LogFailure(operation: "check the index", message: "it was ended", isAway: true)
    }
}
