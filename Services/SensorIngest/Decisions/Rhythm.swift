/// How often a device reports, as learnt from its reports, and when its silence means something.
enum Rhythm {
    /// A device is silent after so many of its usual intervals …
    static let missed = 3.0
    /// … but never before this: receivers miss packets of devices that send every second.
    static let shortestSeconds = 300.0
    /// A device that has reported once only is silent after an hour.
    static let unknownSeconds = 3600.0
    /// One gap moves what is learnt by an eighth.
    private static let weight = 8.0

    /// The interval after another gap between two reports. A gap counts as three intervals at most: an outage teaches
    /// little, while a device that was set to report more seldom is believed after some reports.
    static func learn(_ gap: Double, after interval: Double?) -> Double {
        guard let interval else { return gap }
        return interval + (min(gap, missed * interval) - interval) / weight
    }

    /// After how many seconds without a report a device counts as silent.
    static func patience(_ interval: Double?) -> Double {
        max(interval.map { missed * $0 } ?? unknownSeconds, shortestSeconds)
    }
}
