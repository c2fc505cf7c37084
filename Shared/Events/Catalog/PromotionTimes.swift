public import Vocabulary

extension PromotionRule {
    /// Returns whether a time is one at which the promotion is shown. Pages decide the same (`promotion-rules.js`).
    ///
    /// - Parameters:
    ///   - zone: the time zone of the farm.
    ///   - opens: when the pickup place is open before whose closing it is shown; empty if it is closed for good.
    public func isShown(at now: Instant, in zone: Zone, opens: [OpeningTime]) -> Bool {
        let local = WeekTime(of: now, in: zone)
        return from <= now && now < until && (hours.map(local.isWithin) ?? true)
            && (beforeClosing.map { local.isWithin($0.minutes, beforeClosingOf: opens) } ?? true)
    }
}

/// What clocks and calendars of a place show: a day of the week and a minute of it.
struct WeekTime: Equatable {
    /// 1 for Monday to 7 for Sunday.
    let weekday: Int
    /// 0 to 1,439.
    let minute: Int

    init(of time: Instant, in zone: Zone) {
        minute = time.minuteOfDay(in: zone)
        // 1 January 1970 was a Thursday.
        let days = zone.local(of: time).floored(to: 86_400) / 86_400 + 3
        weekday = Int(days - days.floored(to: 7)) + 1
    }

    func isWithin(_ hours: PromotionHours) -> Bool {
        (hours.weekdays.isEmpty || hours.weekdays.contains(weekday))
            && (Self.minute(hours.from) ?? 0) <= minute && minute < Self.minute(hours.to) ?? 1440
    }

    func isWithin(_ minutes: Int, beforeClosingOf times: [OpeningTime]) -> Bool {
        times.contains { time in
            guard time.weekdays.contains(weekday), let from = Self.minute(time.from), let to = Self.minute(time.to)
            else { return false }
            return max(from, to - minutes) <= minute && minute < to
        }
    }

    /// Returns the minute of the day of `08:05`; nil for any other text.
    private static func minute(_ clock: String?) -> Int? {
        guard let parts = clock?.split(separator: ":").map({ Int($0) }), parts.count == 2, let hour = parts[0],
            let minute = parts[1]
        else { return nil }
        return hour * 60 + minute
    }
}
