import Vocabulary

/// Limits how often one network may do something, such as creating accounts.
struct Throttle {
    private var tries: [String: [Instant]] = [:]

    /// Returns the seconds until the name may try again, or nil if it may try now.
    mutating func wait(for name: String, most: Int, at now: Instant) -> Int? {
        guard var times = tries[name] else { return nil }
        // The window is symmetric, so that setting the clock back does not reopen it early.
        times.removeAll { abs(now.seconds(since: $0)) >= GatewayLimits.triesSeconds }
        tries[name] = times.isEmpty ? nil : times
        guard times.count >= most, let first = times.first else { return nil }
        return max(1, Int((GatewayLimits.triesSeconds - abs(now.seconds(since: first))).rounded(.up)))
    }

    /// Records one more attempt.
    mutating func begin(_ name: String, at now: Instant) {
        if tries[name] == nil, tries.count >= GatewayLimits.throttled { forgetOldest() }
        tries[name, default: []].append(now)
    }

    /// Removes all attempts of this name.
    mutating func forget(_ name: String) {
        tries[name] = nil
    }

    private mutating func forgetOldest() {
        let oldest = tries.min { left, right in
            (left.value.last ?? Instant(microseconds: 0)) < (right.value.last ?? Instant(microseconds: 0))
        }
        if let oldest { tries[oldest.key] = nil }
    }
}
