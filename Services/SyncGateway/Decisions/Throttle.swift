import Vocabulary

/// Counts what one network may do only so often, such as making accounts.
struct Throttle {
    private var tries: [String: [Instant]] = [:]

    /// Seconds until the name may try again; nil if it may now.
    mutating func wait(for name: String, most: Int, at now: Instant) -> Int? {
        guard var times = tries[name] else { return nil }
        // The window looks both ways: a clock that was set back opens it no sooner than it would have.
        times.removeAll { abs(now.seconds(since: $0)) >= GatewayLimits.triesSeconds }
        tries[name] = times.isEmpty ? nil : times
        guard times.count >= most, let first = times.first else { return nil }
        return max(1, Int((GatewayLimits.triesSeconds - abs(now.seconds(since: first))).rounded(.up)))
    }

    /// It is done once more.
    mutating func begin(_ name: String, at now: Instant) {
        if tries[name] == nil, tries.count >= GatewayLimits.throttled { forgetOldest() }
        tries[name, default: []].append(now)
    }

    /// Whatever was tried under this name is forgotten.
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
