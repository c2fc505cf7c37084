public import EventSourcing

/// A log that moves sealed entries to segments and prunes old ones there.
public protocol SealingLog: EventLog {
    /// Makes the next commit record a run's segment. That commit must include the run's drafts.
    func hand(over run: SealedRun) throws(LogFailure)
    /// Makes the next commit replace a sealed segment by its pruned version. That commit must include the run's draft.
    func prune(_ run: PrunedRun) throws(LogFailure)
    /// Deletes a bounded number of sealed entries from the log's own storage. Returns whether more are left.
    ///
    /// Deletes nothing and returns false while anything is staged.
    func dropSealed() throws(LogFailure) -> Bool
}
