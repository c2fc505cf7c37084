import Vocabulary

/// The receptions of one beacon in the last seconds.
struct BeaconSignal: Sendable {
    private(set) var power: Int
    /// Whether the power is announced; a device that only has an address does not.
    private(set) var isBeacon: Bool
    private(set) var last: Instant
    private var receptions: [(at: Instant, rssi: Int)] = []
    /// One bit for each of the last seconds, the newest lowest: whether the beacon was within 1 m.
    private var hits: UInt8 = 0

    init(power: Int?, at time: Instant) {
        self.power = power ?? RangingLimits.assumedPower
        isBeacon = power != nil
        last = time
    }

    var count: Int { receptions.count }

    /// Whether it was within 1 m for more than 3 of the last 6 seconds.
    var isFound: Bool { (hits & (1 << RangingLimits.voteSeconds - 1)).nonzeroBitCount > RangingLimits.votes }

    mutating func receive(_ rssi: Int, power: Int?, at time: Instant) {
        if let power { (self.power, isBeacon) = (power, true) }
        last = max(last, time)
        if receptions.count == RangingLimits.receptions { receptions.removeFirst() }
        receptions.append((time, rssi))
    }

    /// Ends a second: notes whether the beacon was within 1 m in it, and forgets old receptions.
    mutating func close(_ end: Instant) {
        let isReceived = isReceived(inSecondTo: end)
        let isHit = isReceived && peak(at: end).map { metres(of: $0) <= RangingLimits.foundMetres } ?? false
        hits = hits << 1 | (isHit ? 1 : 0)
        receptions.removeAll { end.microseconds - $0.at.microseconds > RangingLimits.storedSeconds * 1_000_000 }
    }

    func isReceived(inSecondTo end: Instant) -> Bool {
        receptions.contains { end.microseconds - $0.at.microseconds <= 1_000_000 }
    }

    /// Returns the mean signal strength of the last seconds in dBm, without the weakest quarter: bodies and multipath
    /// make single receptions weaker by 10 dB and more, and nothing makes them that much stronger.
    func level(at end: Instant) -> Double? { level(at: end, keeping: 0.75) }

    /// Returns the mean of the strongest third: what the thresholds of decisions are compared with, because a tag that
    /// is held or looked for is rarely as weak as it seems.
    func peak(at end: Instant) -> Double? { level(at: end, keeping: 0.3) }

    /// Returns the receptions per second of the last seconds.
    func rate(at end: Instant) -> Double {
        let start = end.microseconds - RangingLimits.smoothedSeconds * 1_000_000
        return Double(receptions.count { $0.at.microseconds > start }) / Double(RangingLimits.smoothedSeconds)
    }

    func metres(of level: Double) -> Double { Ranging.distance(level: level, power: Double(power)) }

    private func level(at end: Instant, keeping share: Double) -> Double? {
        let start = end.microseconds - RangingLimits.smoothedSeconds * 1_000_000
        let recent = receptions.filter { $0.at.microseconds >= start }
        guard !recent.isEmpty else { return nil }
        let strongest = recent.map(\.rssi).sorted(by: >).prefix(max(1, Int((Double(recent.count) * share).rounded())))
        return Double(strongest.reduce(0, +)) / Double(strongest.count)
    }
}
