import Vocabulary

/// What a measuring point reported in one minute: the finest values of its history.
struct Sample: Equatable, Sendable {
    /// The time of the last report in the minute.
    private(set) var at: Instant
    private(set) var count = 1
    private(set) var sum: Double
    private(set) var lowest: Double
    private(set) var highest: Double
    /// The value of the last report.
    private(set) var last: Double

    init(_ value: Double, at time: Instant) {
        (at, sum, lowest, highest, last) = (time, value, value, value, value)
    }

    /// The minutes since 1970 (UTC).
    var minute: Int64 { at.microseconds / 60_000_000 }

    mutating func add(_ value: Double, at time: Instant) {
        count += 1
        sum += value
        lowest = min(lowest, value)
        highest = max(highest, value)
        if time >= at { (at, last) = (time, value) }
    }
}

extension Sample {
    /// Reads `<milliseconds of the hour>:<value>`; for several reports the value is
    /// `<count>/<sum>/<lowest>/<highest>/<last>`.
    init?(_ text: Substring.UTF8View, in hour: Int64) {
        let halves = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard halves.count == 2, let milliseconds = Int64(Substring(halves[0])) else { return nil }
        let time = Instant(microseconds: Instant(hours: hour).microseconds + milliseconds * 1000)
        let parts = halves[1].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
        if parts.count == 1, let value = Double(parts[0]) {
            self.init(value, at: time)
        } else if parts.count == 5, let count = Int(parts[0]), let sum = Double(parts[1]),
            let lowest = Double(parts[2]), let highest = Double(parts[3]), let last = Double(parts[4])
        {
            self.init(last, at: time)
            (self.count, self.sum, self.lowest, self.highest) = (count, sum, lowest, highest)
        } else {
            return nil
        }
    }

    func text(in hour: Int64) -> String {
        let milliseconds = (at.microseconds - Instant(hours: hour).microseconds) / 1000
        return count == 1
            ? "\(milliseconds):\(last)" : "\(milliseconds):\(count)/\(sum)/\(lowest)/\(highest)/\(last)"
    }
}
