import EventSourcing
import Events
import Vocabulary

/// The projection of alarms: the last one of each rule and point, and the history.
enum AlarmViews {
    static func raised(_ event: AlarmRaised, _ envelope: Envelope, _ tables: some Tables) {
        let last = tables.get(AlarmRow.self, AlarmRow.key(event.rule, event.point))
        put(AlarmRow(event, at: envelope.time, position: envelope.position, after: last), tables)
    }

    static func cleared(_ event: AlarmCleared, _ envelope: Envelope, _ tables: some Tables) {
        change(event.rule, event.point, tables) { $0.clear(at: envelope.time) }
    }

    static func notified(_ event: AlarmNotificationRequested, _ envelope: Envelope, _ tables: some Tables) {
        change(event.rule, event.point, tables) { $0.notify(event, at: envelope.time) }
    }

    static func acknowledged(_ event: AlarmAcknowledged, _ envelope: Envelope, _ tables: some Tables) {
        change(event.rule, event.point, tables) { $0.acknowledge(event, by: envelope.actor, at: envelope.time) }
    }

    static func shelved(_ event: AlarmShelved, _ envelope: Envelope, _ tables: some Tables) {
        tables.put(ShelvedRow(event, since: envelope.time, by: envelope.actor))
        change(event.rule, event.point, tables) { $0.endEscalation() }
    }

    /// Limits times that are ahead of a clock that was set back, so that escalation goes on.
    static func setBack(to now: Instant, in tables: some Tables) {
        SensorViews.each(AlarmRow.self, in: tables) { row in
            var changed = row
            changed.setBack(to: now)
            if changed != row { put(changed, tables) }
        }
        SensorViews.each(ShelvedRow.self, in: tables) { row in
            var changed = row
            changed.setBack(to: now)
            if changed != row { tables.put(changed) }
        }
    }

    private static func change(
        _ rule: RuleID, _ point: PointID, _ tables: some Tables, _ change: (inout AlarmRow) -> Void
    ) {
        guard var row = tables.get(AlarmRow.self, AlarmRow.key(rule, point)) else { return }
        change(&row)
        put(row, tables)
    }

    private static func put(_ row: AlarmRow, _ tables: some Tables) {
        tables.put(row)
        tables.put(AlarmHistoryRow(row))
    }
}
