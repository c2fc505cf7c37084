import Events
import Vocabulary

/// The rule for when people are notified of a promotion: while it is shown, in the hours that they have chosen.
struct PromotionNotificationTimes {
    let zone: Zone

    /// Returns whether a person with these hours may be notified now.
    func isWithin(_ hours: NotificationHours?, at now: Instant) -> Bool {
        (hours ?? .usual).contains(clock(at: now))
    }

    /// Returns whether the promotion is shown now.
    func isShown(_ rule: PromotionRule, at now: Instant) -> Bool {
        guard rule.from <= now, now < rule.until else { return false }
        guard let hours = rule.hours else { return true }
        // 1 January 1970 was a Thursday.
        let weekday = Int((zone.local(of: now).floored(to: 86_400) / 86_400 + 3).remainder(of: 7)) + 1
        guard hours.weekdays.isEmpty || hours.weekdays.contains(weekday) else { return false }
        let time = clock(at: now)
        return (hours.from.map { time >= $0 } ?? true) && (hours.to.map { time < $0 } ?? true)
    }

    /// Returns whether both times are on one day of the farm.
    func isSameDay(_ one: Instant, _ other: Instant) -> Bool { one.day(in: zone) == other.day(in: zone) }

    /// Returns the time of the farm's clock: `08:05`.
    private func clock(at now: Instant) -> String {
        let minute = now.minuteOfDay(in: zone)
        return "\(Self.twoDigits(minute / 60)):\(Self.twoDigits(minute % 60))"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int64 {
    /// Returns the remainder of the division, which is never negative.
    fileprivate func remainder(of divisor: Int64) -> Int64 { self - floored(to: divisor) }
}

/// The people from whom a promotion is held back, for comparison. Devices compute the same (`promotion-rules.js`).
enum PromotionShare {
    /// Returns a number from 0 to 99 that is fixed for a person and a promotion (FNV-1a).
    static func of(_ person: PersonID, _ promotion: PromotionID) -> Int {
        var hash: UInt32 = 0x811C_9DC5
        for byte in "\(person)|\(promotion)".utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        // The low bits of FNV alone are unevenly distributed.
        hash = (hash ^ (hash >> 16)) &* 0x45D9_F3B
        return Int((hash ^ (hash >> 16)) % 100)
    }
}
