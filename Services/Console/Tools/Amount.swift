/// Quantities formatted for people.
enum Amount {
    /// `12.3 GB`
    static func bytes(_ count: UInt64) -> String {
        let units = ["bytes", "kB", "MB", "GB", "TB"]
        var (value, unit) = (Double(count), 0)
        while value >= 1000, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return unit == 0 ? "\(count) bytes" : "\(tenths(value)) \(units[unit])"
    }

    /// `3 days`, `5 hours`, `20 minutes`, `7 seconds`
    static func time(seconds: Double) -> String {
        let (count, unit): (Double, String) =
            switch seconds {
            case 172_800...: (seconds / 86_400, "day")
            case 7200...: (seconds / 3600, "hour")
            case 120...: (seconds / 60, "minute")
            default: (seconds, "second")
            }
        let whole = Int(max(0, count).rounded(.down))
        return "\(whole) \(unit)\(whole == 1 ? "" : "s")"
    }

    /// `4 years`, `7 months`, `20 days`
    static func days(_ count: Int) -> String {
        let (whole, unit): (Int, String) =
            switch count {
            case 731...: (count * 100 / 36_525, "year")
            case 61...: (count * 100 / 3_044, "month")
            default: (count, "day")
            }
        return "\(whole) \(unit)\(whole == 1 ? "" : "s")"
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
