/// A mutant: the system with one rule broken. The simulation has to notice each.
enum Mutant: String, CaseIterable {
    /// Says that it synced, and syncs only now and then.
    case skipsSync
    /// Answers before the commit.
    case answersFirst
    /// Rings, and serves what it rang for, before the commit.
    case ringsFirst
    /// Does not know what it has answered before.
    case forgetsAnswers
    /// Writes a report down again that it has.
    case dropsDedupe
    /// Mirrors what it is sent, whether it follows what it has or not.
    case mirrorsBlindly
    /// Takes entries for what they say they are, whatever their hashes say.
    case ignoresHashes
    /// Goes on after a failed sync as if it had worked.
    case forgivesFailedSync
    /// Measures time-outs with the clock that people set.
    case wallClockTimeouts
    /// Prunes by the wall clock, whatever it shows.
    case trustsWallClock
    /// Never asks again for a page that did not come.
    case asksOnce
}
