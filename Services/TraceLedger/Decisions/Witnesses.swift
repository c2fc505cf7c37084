import Vocabulary

/// When the hub's followers are asked to witness how far it reached: every hour; besides, whenever a lot is recalled.
struct Witnesses {
    static let secondsBetween = 3_600.0
    /// Seconds until it is tried again where nothing came of it.
    static let secondsOfPatience = 60.0

    private var tried: Instant?

    /// Whether an hour has passed since they were asked `last`, whoever ran the ledger then.
    mutating func isDue(at now: Instant, last: Instant) -> Bool {
        guard now.seconds(since: last) >= Self.secondsBetween else { return false }
        if let tried, abs(now.seconds(since: tried)) < Self.secondsOfPatience { return false }
        tried = now
        return true
    }
}
