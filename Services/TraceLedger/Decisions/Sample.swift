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
    /// Reads a value, or for several reports `<count>/<sum>/<lowest>/<highest>/<last>`; nil if it is malformed.
    ///
    /// - Parameter milliseconds: The time of the last report, since the beginning of the hour.
    init?(_ text: Substring.UTF8View, at milliseconds: Int64, in hour: Int64) {
        let time = Instant(microseconds: Instant(hours: hour).microseconds + milliseconds * 1000)
        let parts = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
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

    var text: String { count == 1 ? "\(last)" : "\(count)/\(sum)/\(lowest)/\(highest)/\(last)" }
}
