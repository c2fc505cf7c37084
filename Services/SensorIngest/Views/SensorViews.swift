import EventSourcing
import Events
import Radio
import Vocabulary

/// What sensor-ingest's tables hold, folded from its own facts and other slots' reports.
enum SensorViews {
    static func apply(_ fact: SensorsFact, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .measured(let event): measured(event, envelope, tables)
        case .rawReported(let event):
            var row = tables.get(DeviceRow.self, event.device.rawValue) ?? DeviceRow(event.device)
            if row.memory.counts(RawKey.of(event), at: envelope.time, by: envelope.origin.slot) {
                row.hear("raw", event.source, at: envelope.time)
            } else {
                row.copies += 1
            }
            tables.put(row)
        case .pointBound(let event): bound(event, tables)
        case .ruleSet(let event): set(event, tables)
        case .alarmRaised(let event): tables.put(AlarmRow(event, at: envelope.time))
        case .alarmCleared(let event):
            guard var row = tables.get(AlarmRow.self, "\(event.rule)|\(event.point)") else { return }
            row.cleared = envelope.time
            tables.put(row)
        case .beaconHeard, .quarantined: break
        }
    }

    /// A report that two slots tell is one report, which was heard well by the better placed receiver.
    private static func measured(_ event: Measured, _ envelope: Envelope, _ tables: some Tables) {
        var row = tables.get(DeviceRow.self, event.device.rawValue) ?? DeviceRow(event.device)
        let isNews = event.repeatKey.map { row.memory.counts($0, at: envelope.time, by: envelope.origin.slot) } ?? true
        guard isNews else {
            row.copies += 1
            if let rssi = event.rssi, row.isRecent(envelope.time) { row.rssi = max(rssi, row.rssi ?? rssi) }
            tables.put(row)
            return
        }
        row.hear(event.format, event.source, at: envelope.time)
        if row.last == envelope.time {
            row.readings = event.readings
            if let rssi = event.rssi { row.rssi = rssi }
        }
        tables.put(row)
    }

    /// Reports up to a moment were let go by somebody: what rests on them goes, too, and is counted from here on anew.
    /// So the tables are the same whether they are folded from all reports or from those that are left.
    static func forget(_ pruned: JournalPruned, _ envelope: Envelope, in tables: some Tables) {
        var looked = tables.get(PrunedRow.self, envelope.origin.description) ?? PrunedRow(envelope.origin)
        looked.last = pruned.last
        looked.events += pruned.positions.count
        tables.put(looked)
        // Whether a report was a repeat may rest on one that was let go.
        guard let end = pruned.to?.advanced(bySeconds: RepeatRule.longestSeconds) else { return }
        eachDevice(in: tables) { row in
            if let left = row.without(through: end) {
                tables.put(left)
            } else {
                tables.remove(DeviceRow.self, row.key)
            }
        }
    }

    /// The clock was set back: what it told before was heard now at the latest, and what comes next is newer.
    static func setBack(to now: Instant, in tables: some Tables) {
        eachDevice(in: tables) { row in
            guard let last = row.last, last > now else { return }
            var row = row
            row.last = now
            tables.put(row)
        }
    }

    private static func eachDevice(in tables: some Tables, _ body: (DeviceRow) -> Void) {
        var after: String?
        repeat {
            let page = tables.scan(DeviceRow.self, prefix: "", after: after, limit: Bounds.pageItems)
            page.forEach(body)
            after = page.count == Bounds.pageItems ? page.last?.key : nil
        } while after != nil
    }

    private static func bound(_ event: PointBound, _ tables: some Tables) {
        if let before = tables.get(PointRow.self, event.point.rawValue)?.device, before != event.device,
            var row = tables.get(DeviceRow.self, before.rawValue)
        {
            row.point = nil
            tables.put(row)
        }
        tables.put(PointRow(event))
        guard let device = event.device else { return }
        var row = tables.get(DeviceRow.self, device.rawValue) ?? DeviceRow(device)
        row.point = event.point
        tables.put(row)
    }

    private static func set(_ event: RuleSet, _ tables: some Tables) {
        if let before = tables.get(RulePlaceRow.self, event.rule.rawValue)?.place, before != event.place,
            var row = tables.get(PlaceRulesRow.self, before.description)
        {
            row.rules.removeAll { $0.rule == event.rule }
            tables.put(row)
        }
        var row = tables.get(PlaceRulesRow.self, event.place.description) ?? PlaceRulesRow(event.place)
        row.rules.removeAll { $0.rule == event.rule }
        row.rules.append(event)
        tables.put(row)
        tables.put(RulePlaceRow(event.rule, event.place))
    }
}

/// The repeat key of a raw report that is an event already.
enum RawKey {
    static func of(_ event: RawReported) -> RepeatKey {
        RawReport(
            device: event.device, profile: UInt16(truncatingIfNeeded: event.profile),
            cluster: UInt16(truncatingIfNeeded: event.cluster), endpoint: UInt8(truncatingIfNeeded: event.endpoint),
            tsn: event.counter.map { UInt8(truncatingIfNeeded: $0) }, payload: Hex.decode(event.payload) ?? []
        ).repeatKey
    }
}
