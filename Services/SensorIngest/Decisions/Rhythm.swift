/// The learnt interval between a device's reports, and the silence that is longer than expected.
enum Rhythm {
    /// The number of usual intervals after which a device counts as silent.
    static let missed = 3.0
    /// The shortest time, in seconds, after which a device counts as silent. Receivers miss packets of devices that
    /// send every second.
    static let shortestSeconds = 300.0
    /// The time, in seconds, after which a device with only one report counts as silent.
    static let unknownSeconds = 3600.0
    /// The divisor of exponential smoothing: one gap moves the learnt interval by an eighth of the difference.
    private static let weight = 8.0

    /// Returns the interval after one more gap between two reports, in seconds.
    ///
    /// A gap counts as three intervals at most. So an outage changes little, and a device that was set to report less
    /// often is followed after some reports.
    static func learn(_ gap: Double, after interval: Double?) -> Double {
        guard let interval else { return gap }
        return interval + (min(gap, missed * interval) - interval) / weight
    }

    /// Returns the seconds without a report after which a device counts as silent.
    static func patience(_ interval: Double?) -> Double {
        max(interval.map { missed * $0 } ?? unknownSeconds, shortestSeconds)
    }
}
