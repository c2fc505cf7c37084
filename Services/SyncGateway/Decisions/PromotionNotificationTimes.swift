import Events
import Vocabulary

/// The rule for when people are notified of a promotion: in the hours that they have chosen, of one on a day.
struct PromotionNotificationTimes {
    let zone: Zone

    /// Returns whether a person with these hours may be notified now.
    func isWithin(_ hours: NotificationHours?, at now: Instant) -> Bool {
        (hours ?? .usual).contains(clock(at: now))
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
