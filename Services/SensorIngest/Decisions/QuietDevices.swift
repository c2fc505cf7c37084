import Vocabulary

/// For how long devices have not reported, in running time: seconds during which this process looked and saw no report.
///
/// So a restart, a machine that slept and a clock that was moved make no device look silent.
struct QuietDevices {
    /// Seconds between two looks, and the longest time between two looks that is counted.
    static let pauseSeconds = 30.0
    private static let countedSeconds = 120.0

    /// The newest report of each device that was seen, and the seconds since.
    private var seen: [DeviceID: (last: Instant, seconds: Double)] = [:]
    private var looked: Instant?
    private var counted = 0.0

    /// Whether it is time to look at all devices; then the time since the look before is counted.
    mutating func isDue(at now: Instant) -> Bool {
        let gap = looked.map { now.seconds(since: $0) } ?? 0
        if looked != nil, (0..<Self.pauseSeconds).contains(gap) { return false }
        looked = now
        counted = (0...Self.countedSeconds).contains(gap) ? gap : 0
        return true
    }

    /// Looks at the newest report of a device. Returns whether it is another one than at the look before.
    mutating func look(at device: DeviceID, _ last: Instant) -> Bool {
        guard let before = seen[device] else {
            seen[device] = (last, 0)
            return false
        }
        let hasReported = before.last != last
        seen[device] = (last, hasReported ? 0 : before.seconds + counted)
        return hasReported
    }

    /// Returns the seconds without a report at the last look.
    func seconds(of device: DeviceID) -> Double { seen[device]?.seconds ?? 0 }
}
