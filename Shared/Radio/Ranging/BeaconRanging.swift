public import Vocabulary

/// The beacons around one reader, second by second: how near each is, which one is held to the reader, and which ones a
/// list scan finds. The algorithms of D. Čizmar, “Application of iBeacon protocol on iOS platform” (Novi Sad), for any
/// number of beacons and with smoothed signals.
///
///     var ranging = BeaconRanging()
///     ranging.receive("ibeacon:…:1:7", rssi: -48, power: -59, at: time)
///     ranging.advance(to: time)
///     let held = ranging.nearest  // after 4 to 6 s
public struct BeaconRanging: Sendable {
    private var signals: [String: BeaconSignal] = [:]
    /// The end of the current second; nil before the first reception.
    private var end: Instant?
    /// The beacon that was nearest in each of the last seconds, nil if none was near enough.
    private var votes: [String?] = []

    public init() {}

    /// Whether nothing was received in the last seconds.
    public var isEmpty: Bool { signals.isEmpty }

    /// The beacon that is held to the reader: nearest, within 0.5 m and above −75 dBm, for more than 3 of the last 6
    /// seconds. Nil while that is not decided.
    public var nearest: String? {
        var counts: [String: Int] = [:]
        for case let beacon? in votes { counts[beacon, default: 0] += 1 }
        return counts.first { $0.value > RangingLimits.votes }?.key
    }

    /// Adds a reception. Those of one reader must be added in the order of their times; an earlier one counts as of
    /// the current second.
    ///
    /// - Parameters:
    ///   - rssi: The received signal strength in dBm; 0 and above, and 127, mean that it is unknown, and are ignored.
    ///   - power: The signal strength at 1 m in dBm, if the beacon announces it.
    public mutating func receive(_ beacon: String, rssi: Int, power: Int?, at time: Instant) {
        guard rssi < 0 else { return }
        advance(to: time)
        if signals[beacon] == nil, signals.count >= RangingLimits.beacons { removeOne() }
        signals[beacon, default: BeaconSignal(power: power, at: time)]
            .receive(rssi, power: power, at: time)
    }

    /// Ends the seconds before `time`.
    public mutating func advance(to time: Instant) {
        guard let first = end else {
            end = time.advanced(bySeconds: 1)
            return
        }
        // After a long silence, or a clock that was set back, nothing of the past counts.
        guard abs(time.seconds(since: first)) <= Double(RangingLimits.storedSeconds) + 1 else {
            self = BeaconRanging()
            end = time.advanced(bySeconds: 1)
            return
        }
        while let current = end, current <= time {
            close(current)
            end = current.advanced(bySeconds: 1)
        }
    }

    /// Returns the beacons that were received in the last seconds, the nearest first.
    public func beacons(at time: Instant) -> [RangedBeacon] {
        signals.compactMap { name, signal in
            guard let level = signal.level(at: time) else { return nil }
            let metres = signal.metres(of: level)
            return RangedBeacon(
                beacon: name, rssi: level, metres: metres,
                proximity: signal.isBeacon ? Proximity(metres: metres) : .unknown,
                perSecond: signal.rate(at: time),
                isFound: signal.isFound)
        }.sorted { ($0.metres, $0.beacon) < ($1.metres, $1.beacon) }
    }

    private mutating func close(_ second: Instant) {
        votes.append(candidate(at: second))
        if votes.count > RangingLimits.voteSeconds { votes.removeFirst() }
        for name in Array(signals.keys) {
            signals[name]?.close(second)
            if signals[name]?.count == 0 { signals[name] = nil }
        }
    }

    /// Returns the beacon that gets the vote of a second: the nearest one, if it is near enough and clearly nearer than
    /// the others.
    private func candidate(at second: Instant) -> String? {
        var best: (name: String, gain: Double, peak: Double)?
        var runnerUp = -Double.infinity
        for (name, signal) in signals where signal.isReceived(inSecondTo: second) {
            guard let level = signal.level(at: second), let peak = signal.peak(at: second) else { continue }
            let gain = level - Double(signal.power)
            if let current = best, current.gain >= gain {
                runnerUp = max(runnerUp, gain)
            } else {
                runnerUp = max(runnerUp, best?.gain ?? -.infinity)
                best = (name, gain, peak)
            }
        }
        guard let best, let signal = signals[best.name],
            signal.metres(of: best.peak) <= RangingLimits.immediateMetres, best.peak > RangingLimits.nearestRSSI,
            best.gain - runnerUp >= RangingLimits.leadDecibels
        else { return nil }
        return best.name
    }

    /// Makes room: removes a device that is no beacon, and has the fewest receptions. So addresses that are used once
    /// displace no beacon that is there.
    private mutating func removeOne() {
        func rank(_ signal: BeaconSignal) -> (Int, Int, Instant) {
            (signal.isBeacon ? 1 : 0, signal.count, signal.last)
        }
        if let least = signals.min(by: { rank($0.value) < rank($1.value) }) { signals[least.key] = nil }
    }
}
