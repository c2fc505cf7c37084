import Vocabulary

/// Which lots' passports were held against their stories a moment ago, so that a crowd that scans is answered at once.
struct PassportCache: Sendable {
    private var looked: [LotID: Instant] = [:]

    /// Returns whether the passport was issued or compared a moment ago, and since the lot's
    /// safety last `changed`.
    func isFresh(_ lot: LotID, issued: Instant, changed: Instant?, at now: Instant) -> Bool {
        func isRecent(_ time: Instant, _ seconds: Double) -> Bool {
            if let changed, time <= changed { return false }
            // Either way: an event is stamped a little later than it was asked for, and a clock may be set back.
            return abs(now.seconds(since: time)) < seconds
        }
        return isRecent(issued, LedgerLimits.passportSeconds)
            || looked[lot].map { isRecent($0, LedgerLimits.comparedSeconds) } ?? false
    }

    mutating func note(_ lot: LotID, at now: Instant) {
        if looked.count >= LedgerLimits.freshLots { looked.removeAll() }
        looked[lot] = now
    }
}
