import Vocabulary

/// The schedule of witness requests to the hub's subscribers: every hour, and besides whenever a lot is recalled.
struct Witnesses {
    static let secondsBetween = 3_600.0
    /// Seconds until a request that was not recorded is tried again.
    static let retrySeconds = 60.0

    private var tried: Instant?

    /// Returns whether an hour has passed since the request at `last`, made by this or an earlier process.
    ///
    /// After the clock was set back, `last` is in the future, and so are the times of further requests. Then the hour
    /// counts from this process's own last try.
    mutating func isDue(at now: Instant, last: Instant) -> Bool {
        let isAhead = last.seconds(since: now) > Self.retrySeconds
        guard isAhead || now.seconds(since: last) >= Self.secondsBetween else { return false }
        let pause = isAhead ? Self.secondsBetween : Self.retrySeconds
        if let tried, abs(now.seconds(since: tried)) < pause { return false }
        tried = now
        return true
    }
}
