import EventSourcing
import Events
import Vocabulary

/// Decides when people are notified of an alarm: when it is raised, and step by step until it is acknowledged.
enum Escalation {
    /// The age in seconds up to which a report is current. An alarm of older reports is history; people are notified of
    /// it only after a current report confirms it.
    static let currentSeconds = 900.0
    /// The time in seconds after its clearing within which an alarm that is raised again is the same incident.
    static let incidentSeconds = 1800.0
    /// The time in seconds after its first notification at which an incident ends: an alarm that is raised later is a
    /// new one, however short the time since the last clearing.
    static let incidentSecondsAtMost = 43_200.0

    /// Returns the step of which people are to be notified after a report of an alarm that is on; nil if none is.
    ///
    /// - Parameter ageSeconds: the age of the report.
    static func first(_ alarm: AlarmHandling, ageSeconds: Double, by setting: OnCallSet) -> Int? {
        guard alarm.acknowledged == nil, alarm.began == nil, ageSeconds <= currentSeconds else { return nil }
        return setting.steps.isEmpty ? nil : 0
    }

    /// Returns the step of which people are to be notified as time passes; nil if none is due.
    ///
    /// If several steps became due while the service did not run, it is the last of them.
    static func next(_ alarm: AlarmHandling, at now: Instant, by setting: OnCallSet) -> Int? {
        guard alarm.acknowledged == nil, let began = alarm.began, let requested = alarm.requested,
            let step = alarm.step
        else { return nil }
        let due = setting.steps.lastIndex { now.seconds(since: began) >= Double($0.afterMinutes) * 60 }
        if let due, due > step { return due }
        guard let minutes = setting.repeatMinutes, let last = setting.steps.indices.last, step >= last,
            now.seconds(since: requested) >= Double(minutes) * 60
        else { return nil }
        return last
    }
}

extension AlarmRow {
    /// Returns the event that requests to notify the people of a step.
    func notification(
        ofStep step: Int, to people: [PersonID], in tables: any Tables
    ) -> AlarmNotificationRequested {
        let title =
            switch quantity {
            case .goodsConflict: tables.get(StoredGoodsRow.self, place.description)?.published.title
            case .reception: ReceiverName.title(device.rawValue)
            default: tables.get(PointRow.self, point.rawValue)?.title
            }
        return AlarmNotificationRequested(
            rule: rule, point: point, title: title ?? point.rawValue, place: place, quantity: quantity, value: value,
            limit: limit, raised: raised, goods: goods, lots: lots, step: step, people: people,
            overMinutes: overMinutes)
    }
}
