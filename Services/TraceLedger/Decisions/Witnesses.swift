import Vocabulary

/// When the hub's followers are asked to witness how far it reached: every hour; besides, whenever a lot is recalled.
struct Witnesses {
    static let secondsBetween = 3_600.0
    /// Seconds until it is tried again where nothing came of it.
    static let secondsOfPatience = 60.0

    private var tried: Instant?

    /// Whether an hour has passed since they were asked `last`, whoever ran the ledger then.
    ///
    /// Once the clock was put back, that was in the future, and what is asked now is dated so, too: then this process
    /// counts the hour from when it asked.
    mutating func isDue(at now: Instant, last: Instant) -> Bool {
        let isAhead = last.seconds(since: now) > Self.secondsOfPatience
        guard isAhead || now.seconds(since: last) >= Self.secondsBetween else { return false }
        let pause = isAhead ? Self.secondsBetween : Self.secondsOfPatience
        if let tried, abs(now.seconds(since: tried)) < pause { return false }
        tried = now
        return true
    }
}
