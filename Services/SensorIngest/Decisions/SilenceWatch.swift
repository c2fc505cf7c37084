import EventSourcing
import Events
import Vocabulary

/// Raises an alarm of each measuring point whose device is silent, and clears it when the device reports again.
///
/// A device is silent after three of its learnt intervals (`Rhythm`), or after the minutes that a limit of its place or
/// the point itself sets for the quantity `silence`. A limit that is disabled switches these alarms off.
///
/// Silence is counted in running time (`QuietDevices`). If a receiver is silent (`ReceiverWatch`), people are notified
/// of that, and not of the points that fell silent with it.
struct SilenceWatch {
    /// The rule of alarms at places without a limit of their own.
    static let rule = RuleID("silence")

    private var devices = QuietDevices()
    private var receivers = ReceiverWatch()
    /// When the alarm of which people were notified last was raised, by place.
    private var outages: [Place: Instant] = [:]

    /// Returns the alarms that are raised and cleared, and the notifications of them.
    ///
    /// - Parameter troubles: The radios of this process that do not work.
    mutating func due(
        at now: Instant, troubles: Set<String>, _ onCall: OnCall?, _ tables: any Tables
    ) -> [Draft] {
        guard devices.isDue(at: now) else { return [] }
        var drafts: [Draft] = []
        var alarms: [PointID: AlarmRow] = [:]
        for alarm in tables.find(AlarmRow.self, where: "state", is: AlarmRow.on, limit: .max)
        where alarm.quantity == .silence {
            alarms[alarm.point] = alarm
            if alarm.handling.notified != nil { outages[alarm.place] = alarm.raised }
        }
        var receptions = Receptions()
        SensorViews.each(PointRow.self, in: tables) { point in
            let id = PointID(point.key)
            guard let device = point.device, let row = tables.get(DeviceRow.self, device.rawValue), let last = row.last
            else { return }
            let hasReported = devices.look(at: device, last)
            let seconds = devices.seconds(of: device)
            receptions.add(row, at: point.place, newest: last, quietSeconds: seconds)
            let limit = Limit(of: point, row, tables)
            if let alarm = alarms[id] {
                guard limit == nil || hasReported || last > alarm.raised else { return }
                drafts.append(draft(alarm.clearing(after: last, at: now), of: alarm))
                alarms[id] = nil
            } else if let limit, seconds > limit.seconds {
                let event = AlarmRaised(
                    rule: limit.rule, point: id, place: point.place, device: device, quantity: .silence,
                    value: (max(seconds, now.seconds(since: last)) / 60).rounded(.down),
                    limit: (limit.seconds / 60).rounded(.up), urgent: limit.urgent)
                let before = tables.get(AlarmRow.self, AlarmRow.key(event.rule, id))
                let alarm = AlarmRow(event, at: now, after: before)
                drafts.append(draft(event, of: alarm))
                alarms[id] = alarm
            }
        }
        let (notes, silent) = receivers.due(receptions, troubles: troubles, at: now, onCall, tables)
        return notes + drafts + notifications(of: alarms, without: silent, at: now, onCall, tables)
    }

    /// Returns one notification for each outage of a place: if a receiver fails, all its points fall silent within a
    /// short time, and report again one after the other.
    ///
    /// - Parameter silent: The silent receivers.
    private mutating func notifications(
        of alarms: [PointID: AlarmRow], without silent: Set<String>, at now: Instant, _ onCall: OnCall?,
        _ tables: any Tables
    ) -> [Draft] {
        guard let onCall else { return [] }
        var drafts: [Draft] = []
        for alarm in alarms.values.sorted(by: { $0.key < $1.key }) {
            // Notifications of an alarm that was muted are left to `EscalationClock`.
            if let shelf = tables.get(ShelvedRow.self, alarm.key), shelf.until > alarm.raised { continue }
            let source = tables.get(DeviceRow.self, alarm.device.rawValue)?.source
            if let source, silent.contains(source) { continue }
            let outage = outages[alarm.place]
            if let outage, abs(alarm.raised.seconds(since: outage)) <= Escalation.incidentSeconds { continue }
            guard let step = onCall.first(alarm, ageSeconds: 0, at: now) else { continue }
            outages[alarm.place] = alarm.raised
            drafts.append(draft(onCall.notification(of: alarm, step: step, at: now, in: tables), of: alarm))
        }
        return drafts
    }

    private func draft(_ event: any Event, of alarm: AlarmRow) -> Draft {
        Draft(event, in: alarm.stream, by: .service(SensorIngest.name))
    }

    /// After how many seconds the device of a point is silent, and by which rule.
    private struct Limit {
        let rule: RuleID
        let seconds: Double
        let urgent: Bool?

        /// Returns nil if the place's limit is disabled.
        init?(of point: PointRow, _ device: DeviceRow, _ tables: any Tables) {
            let rules = PointRules(tables).rules(of: PointID(point.key), at: point.place)
            let set = rules.first { $0.quantity == .silence }
            guard set?.enabled ?? true else { return nil }
            rule = set?.rule ?? SilenceWatch.rule
            urgent = set?.urgent
            seconds = set?.above.map { $0 * 60 } ?? Rhythm.patience(device.interval)
        }
    }
}
