/// A mutant: the system with one rule broken. The simulation must detect each.
enum Mutant: String, CaseIterable {
    /// Reports every sync as done, but syncs only sometimes.
    case skipsSync
    /// Sends responses before the commit.
    case answersFirst
    /// Sends head notifications and serves pages before the commit.
    case ringsFirst
    /// Stores no responses under their idempotency keys.
    case forgetsAnswers
    /// Records a report that it has recorded before.
    case dropsDedupe
    /// Applies the pages of a feed without checking that they follow its checkpoint.
    case mirrorsBlindly
    /// Accepts entries without verifying their hashes.
    case ignoresHashes
    /// Continues after a failed sync as if it had succeeded.
    case forgivesFailedSync
    /// Measures time-outs with the wall clock, which can be set.
    case wallClockTimeouts
    /// Prunes by the wall clock instead of the trusted clock.
    case trustsWallClock
    /// Never repeats a page request whose response was lost.
    case asksOnce
}
