import Vocabulary

/// Which lots' passports were held against their stories a moment ago, so that a crowd that scans is answered at once.
struct Freshness: Sendable {
    private var looked: [LotID: Instant] = [:]

    /// Whether the passport was issued or looked at less than `Bounds.passportSeconds` ago; nil where it is of no
    /// account when it was issued.
    func isFresh(_ lot: LotID, issued: Instant?, at now: Instant) -> Bool {
        guard let last = [looked[lot], issued].compactMap({ $0 }).max() else { return false }
        // Either way: an event is stamped a little later than it was asked for, and a clock may be set back.
        return abs(now.seconds(since: last)) < Bounds.passportSeconds
    }

    /// Their stories have changed in a way that nobody may be kept from for a moment.
    mutating func forget(_ lots: [LotID]) {
        for lot in lots { looked[lot] = nil }
    }

    mutating func note(_ lot: LotID, at now: Instant) {
        if looked.count >= Bounds.freshLots { looked.removeAll() }
        looked[lot] = now
    }
}
