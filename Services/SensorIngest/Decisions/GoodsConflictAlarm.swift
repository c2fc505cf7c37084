import EventSourcing
import Events
import Vocabulary

/// The alarm of a store in which goods lie whose limits exclude each other: no temperature or humidity suits all.
///
/// There is one for each store, however many goods and quantities conflict. Its point is the store.
enum GoodsConflictAlarm {
    static let rule = RuleID("goods-conflict")

    /// Returns the alarms that are raised or cleared after the goods in stores changed, and their notifications.
    ///
    /// Of several changes of one store the last decides, because the tables do not contain these drafts yet.
    static func drafts(
        after events: [RecordedEvent], now: Instant, _ onCall: OnCall?, _ tables: any Tables
    ) -> [Draft] {
        var newest: [String: (change: StorageLimitsChanged, time: Instant)] = [:]
        for recorded in events {
            guard case .trace(.storageLimitsChanged(let change)) = recorded.fact else { continue }
            newest[change.store.rawValue] = (change, recorded.envelope.time)
        }
        guard !newest.isEmpty else { return [] }
        let changes = newest.sorted { $0.key < $1.key }.map(\.value)
        return OrphanedAlarms(tables: tables).clearings(by: .service(SensorIngest.name))
            + changes.flatMap { drafts(after: $0.change, at: $0.time, now: now, onCall, tables) }
    }

    /// - Parameter time: The time of the event; an alarm of the past notifies no people.
    private static func drafts(
        after event: StorageLimitsChanged, at time: Instant, now: Instant, _ onCall: OnCall?, _ tables: any Tables
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
        guard let onCall, !alarm.isShelved(at: now, in: tables),
            let step = onCall.first(alarm, ageSeconds: now.seconds(since: time), at: now)
        else { return drafts }
        return drafts + [draft(onCall.notification(of: alarm, step: step, at: now, in: tables), of: alarm, at: nil)]
    }

    private static func draft(_ event: any Event, of alarm: AlarmRow, at time: Instant?) -> Draft {
        Draft(event, in: alarm.stream, at: time, by: .service(SensorIngest.name))
    }
}
