import EventSourcing
import Events
import Vocabulary

/// Who is notified of alarms and when, by what is set.
struct OnCall: Sendable {
    let setting: OnCallSet
    private let zone: @Sendable (String) -> Zone?

    /// - Parameter zone: Returns the time zone of a name; nil if this machine has none.
    init(_ setting: OnCallSet, zone: @escaping @Sendable (String) -> Zone?) {
        self.setting = setting
        self.zone = zone
    }

    /// Returns the step of which people are to be notified after a report of an alarm that is on; nil if none is.
    func first(_ alarm: AlarmRow, ageSeconds: Double, at now: Instant) -> Int? {
        waits(alarm, at: now) ? nil : Escalation.first(alarm.handling, ageSeconds: ageSeconds, by: setting)
    }

    /// Returns the step of which people are to be notified as time passes; nil if none is due.
    func next(_ alarm: AlarmRow, at now: Instant) -> Int? {
        waits(alarm, at: now) ? nil : Escalation.next(alarm.handling, at: now, by: setting)
    }

    /// Returns the event that requests to notify the people of a step.
    func notification(
        of alarm: AlarmRow, step: Int, at now: Instant, in tables: any Tables
    ) -> AlarmNotificationRequested {
        alarm.notification(ofStep: step, to: people(ofStep: step, at: now), in: tables)
    }

    /// The zone of the farm's clocks, as far as quiet hours or weeks on call name one.
    var clocks: Zone? { (setting.quiet?.zone ?? setting.weeks?.zone).flatMap(zone) }

    /// The rota; nil if people do not take turns, or if this machine lacks its time zone.
    var rota: OnCallRota? {
        guard let weeks = setting.weeks, !weeks.people.isEmpty, let zone = zone(weeks.zone) else { return nil }
        return OnCallRota(weeks, in: zone)
    }

    /// Returns the people of a step, with the one who is on call. Without the time zone these are all who take turns.
    func people(ofStep step: Int, at now: Instant) -> [PersonID] {
        let step = setting.steps[step]
        guard step.onCall == true, let weeks = setting.weeks else { return step.people }
        let turn = rota.map { [$0.person(at: now)] } ?? weeks.people
        return step.people + turn.filter { !step.people.contains($0) }
    }

    /// Whether notifications of an alarm wait until the quiet hours are over.
    private func waits(_ alarm: AlarmRow, at now: Instant) -> Bool {
        // Without the time zone there are no quiet hours, so that no alarm waits in vain.
        guard !alarm.isUrgent, let quiet = setting.quiet, let zone = zone(quiet.zone) else { return false }
        return quiet.contains(minute: now.minuteOfDay(in: zone))
    }
}

extension QuietHours {
    /// Whether a minute of the day, 0 to 1,439, is within the hours. They may pass midnight.
    func contains(minute: Int) -> Bool {
        guard let from = Self.minute(from), let to = Self.minute(to) else { return false }
        return from <= to ? (from..<to).contains(minute) : minute >= from || minute < to
    }

    /// Returns the minute of the day of a clock's time such as `21:30`; nil if it is none.
    static func minute(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isWholeNumber) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }
}
