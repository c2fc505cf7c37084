import Vocabulary

/// Which lots' passports were held against their stories a moment ago, so that a crowd that scans is answered at once.
struct Freshness: Sendable {
    private var looked: [LotID: Instant] = [:]

    /// Whether the passport was issued or looked at less than `Bounds.passportSeconds` ago.
    func isFresh(_ lot: LotID, issued: Instant, at now: Instant) -> Bool {
        // Either way: an event is stamped a little later than it was asked for, and a clock may be set back.
        abs(now.seconds(since: max(looked[lot] ?? issued, issued))) < Bounds.passportSeconds
    }

    mutating func note(_ lot: LotID, at now: Instant) {
        if looked.count >= Bounds.freshLots { looked.removeAll() }
        looked[lot] = now
    }
}
