import Vocabulary

/// The times at which passports were last compared with their stories, so that many scans at once need no comparison.
struct PassportCache: Sendable {
    private var compared: [LotID: Instant] = [:]

    /// Returns whether the passport was recently issued or compared, and after the lot's safety last `changed`.
    func isFresh(_ lot: LotID, issued: Instant, changed: Instant?, at now: Instant) -> Bool {
        func isRecent(_ time: Instant, _ seconds: Double) -> Bool {
            if let changed, time <= changed { return false }
            // In both directions: an event is stamped a little later than its request, and a clock may be set back.
            return abs(now.seconds(since: time)) < seconds
        }
        return isRecent(issued, LedgerLimits.passportSeconds)
            || compared[lot].map { isRecent($0, LedgerLimits.comparedSeconds) } ?? false
    }

    mutating func note(_ lot: LotID, at now: Instant) {
        if compared.count >= LedgerLimits.freshLots { compared.removeAll() }
        compared[lot] = now
    }
}
