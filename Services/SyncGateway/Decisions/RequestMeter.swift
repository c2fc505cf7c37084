/// Limits unauthenticated requests by network, each with a token bucket. Ticks measure the time, so setting the clock
/// has no effect.
struct RequestMeter: Sendable {
    private struct Bucket {
        var tokens: Double
        var tick: UInt64
    }

    /// The tokens that a bucket gains per second; 0 switches the limit off.
    var rate = GatewayLimits.anonymousRate
    /// The capacity of a bucket, which is also its initial level.
    var burst = GatewayLimits.anonymousBurst
    private var buckets: [String: Bucket] = [:]

    init() {}

    var networks: Int { buckets.count }

    /// Takes tokens from a network's bucket. Returns nil, or the seconds until there are enough tokens.
    mutating func take(_ cost: Double, from network: String, at tick: UInt64) -> Int? {
        guard rate > 0 else { return nil }
        let tokens = buckets[network].map { level(of: $0, at: tick) } ?? Double(burst)
        guard tokens >= cost else {
            buckets[network] = Bucket(tokens: tokens, tick: tick)
            return max(1, Int(((cost - tokens) / Double(rate)).rounded(.up)))
        }
        if buckets[network] == nil, buckets.count >= GatewayLimits.throttled { forget(at: tick) }
        buckets[network] = Bucket(tokens: tokens - cost, tick: tick)
        return nil
    }

    private func level(of bucket: Bucket, at tick: UInt64) -> Double {
        min(Double(burst), bucket.tokens + Double(tick - bucket.tick) / 10 * Double(rate))
    }

    /// Removes full buckets, which hold no information. If none is full, removes the fullest, which gains least by
    /// starting again.
    private mutating func forget(at tick: UInt64) {
        let full = buckets.filter { level(of: $0.value, at: tick) >= Double(burst) }.map(\.key)
        for network in full { buckets[network] = nil }
        guard full.isEmpty else { return }
        let fullest = buckets.max { level(of: $0.value, at: tick) < level(of: $1.value, at: tick) }
        if let fullest { buckets[fullest.key] = nil }
    }
}
