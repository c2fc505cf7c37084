import EventSourcing
import Events
import Vocabulary

/// The projection of advertisements that were not understood.
enum AdvertViews {
    /// Stores an advertisement. If two slots received the device in one hour, the first one's advertisement stays.
    static func kept(_ event: AdvertKept, _ envelope: Envelope, _ tables: some Tables) {
        let row = KeptAdvertRow(event, envelope)
        if tables.get(KeptAdvertRow.self, row.key) == nil { tables.put(row) }
        let known = tables.get(UnreadDeviceRow.self, event.device.rawValue)
        guard known.map({ $0.last <= envelope.time }) ?? true else { return }
        tables.put(UnreadDeviceRow(event, at: envelope.time))
    }

    static func decoded(_ event: AdvertDecoded, _ tables: some Tables) {
        tables.remove(KeptAdvertRow.self, KeptAdvertRow.key(event.device, event.heard))
        guard let row = tables.get(UnreadDeviceRow.self, event.device.rawValue), row.last <= event.heard else { return }
        tables.remove(UnreadDeviceRow.self, row.key)
    }

    /// Removes what was projected from events up to a time, which were pruned.
    static func forget(through end: Instant, in tables: some Tables) {
        SensorViews.each(KeptAdvertRow.self, in: tables) { row in
            if row.at <= end { tables.remove(KeptAdvertRow.self, row.key) }
        }
        SensorViews.each(UnreadDeviceRow.self, in: tables) { row in
            if row.last <= end { tables.remove(UnreadDeviceRow.self, row.key) }
        }
    }

    /// Limits times to `now` after the clock was set back.
    static func setBack(to now: Instant, in tables: some Tables) {
        SensorViews.each(UnreadDeviceRow.self, in: tables) { row in
            guard row.last > now else { return }
            var row = row
            row.last = now
            tables.put(row)
        }
    }
}
