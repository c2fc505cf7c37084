import EventSourcing
import Events
import Vocabulary

/// The alarm of a store in which goods lie whose limits exclude each other: no temperature or humidity suits all.
///
/// There is one for each store, however many goods and quantities conflict. Its point is the store.
enum GoodsConflictAlarm {
    static let rule = RuleID("goods-conflict")

    /// Returns the alarm that is raised or cleared by what now lies in a store, and the notification of it.
    ///
    /// - Parameter time: The time of the event; an alarm of the past notifies no people.
    static func drafts(
        after event: StorageLimitsChanged, at time: Instant, now: Instant, _ tables: any Tables
    ) -> [Draft] {
        let point = PointID(event.store.rawValue)
        let before = tables.get(AlarmRow.self, AlarmRow.key(rule, point))
        let (place, device) = (Place.store(event.store), DeviceID("store/\(event.store)"))
        let value = Double(event.conflicts.count)
        guard let conflict = event.conflicts.first else {
            guard let before, before.isOn else { return [] }
            let cleared = AlarmCleared(
                rule: rule, point: point, place: place, device: device, quantity: .goodsConflict, value: value)
            return [draft(cleared, of: before, at: time)]
        }
        guard before?.isOn != true else { return [] }
        let goods = event.goods.filter { (conflict.needing + conflict.tolerating).contains($0.goods) }
        let raised = AlarmRaised(
            rule: rule, point: point, place: place, device: device, quantity: .goodsConflict, value: value, limit: 0,
            goods: goods.map(\.title).joined(separator: ", "),
            lots: Array(goods.flatMap(\.lots).prefix(SensorLimits.namedLots)))
        let alarm = AlarmRow(raised, at: time, after: before)
        let drafts = [draft(raised, of: alarm, at: time)]
        guard let setting = tables.get(OnCallRow.self, OnCallRow.key)?.setting,
            let step = Escalation.first(alarm.handling, ageSeconds: now.seconds(since: time), by: setting)
        else { return drafts }
        return drafts + [draft(alarm.notification(ofStep: step, by: setting, in: tables), of: alarm, at: nil)]
    }

    private static func draft(_ event: any Event, of alarm: AlarmRow, at time: Instant?) -> Draft {
        Draft(event, in: alarm.stream, at: time, by: .service(SensorIngest.name))
    }
}
