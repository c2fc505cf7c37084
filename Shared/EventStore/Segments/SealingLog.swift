public import EventSourcing

/// A log whose sealed entries leave it for their segments, and are let go there when they are old.
public protocol SealingLog: EventLog {
    /// From the next commit on a run is in its segment; that commit holds the run's drafts, too.
    func hand(over run: SealedRun) throws(LogFailure)
    /// From the next commit on a sealed run is read without what was let go of it; that commit holds the run's draft,
    /// too.
    func prune(_ run: PrunedRun) throws(LogFailure)
    /// Takes sealed entries out of the log's own storage, a bounded number; true while there are more. Nothing may be
    /// staged.
    func dropSealed() throws(LogFailure) -> Bool
}
