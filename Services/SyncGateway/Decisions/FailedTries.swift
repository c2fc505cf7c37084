/// Counts failed attempts by name within the last five minutes, measured in ticks. Successes are not counted.
struct FailedTries {
    private var ticks: [String: [UInt64]] = [:]

    func count(_ name: String, at tick: UInt64) -> Int {
        ticks[name]?.count { $0 + GatewayLimits.triesTicks > tick } ?? 0
    }

    mutating func add(_ name: String, at tick: UInt64) {
        if ticks[name] == nil, ticks.count >= GatewayLimits.throttled { forgetOldest() }
        ticks[name] = Array(((ticks[name] ?? []) + [tick]).suffix(GatewayLimits.triesCounted))
    }

    mutating func forget(_ name: String) { ticks[name] = nil }

    private mutating func forgetOldest() {
        let oldest = ticks.min { ($0.value.last ?? 0) < ($1.value.last ?? 0) }
        if let oldest { ticks[oldest.key] = nil }
    }
}
