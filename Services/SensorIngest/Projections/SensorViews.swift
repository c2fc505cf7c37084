import EventSourcing
import Events
import Radio
import Vocabulary

/// The projection of sensor-ingest's own events and other slots' reports into its tables.
enum SensorViews {
    static func apply(_ fact: SensorsEvent, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .measured(let event): measured(event, envelope, tables)
        case .rawReported(let event): rawReported(event, envelope, tables)
        case .reportHeard(let event): heard(event, envelope, tables)
        case .pointBound(let event): bound(event, tables)
        case .pointRetired(let event):
            unbind(event.point, tables)
            tables.remove(PointRow.self, event.point.rawValue)
        case .deviceCalibrated(let event): tables.calibrate(event, at: envelope.time)
        case .ruleSet(let event): set(event, tables)
        case .alarmRaised(let event): AlarmViews.raised(event, envelope, tables)
        case .alarmCleared(let event): AlarmViews.cleared(event, envelope, tables)
        case .alarmNotificationRequested(let event): AlarmViews.notified(event, envelope, tables)
        case .alarmAcknowledged(let event): AlarmViews.acknowledged(event, envelope, tables)
        case .alarmShelved(let event): AlarmViews.shelved(event, envelope, tables)
        case .onCallSet(let event): tables.put(OnCallRow(event))
        case .beaconHeard(let event): heard(event, envelope, tables)
        case .deviceIdentified(let event):
            var row = tables.get(DeviceMakeRow.self, event.device.rawValue) ?? DeviceMakeRow(event.device)
            row.take(event)
            tables.put(row)
        case .valuesRefused(let event): refused(event, envelope, tables)
        case .advertKept(let event): AdvertViews.kept(event, envelope, tables)
        case .advertDecoded(let event): AdvertViews.decoded(event, tables)
        case .networkFormed(let event): ZigBeeViews.formed(event, tables)
        case .deviceJoined(let event): ZigBeeViews.joined(event, at: envelope.time, tables)
        case .deviceInterviewed(let event): ZigBeeViews.interviewed(event, at: envelope.time, tables)
        case .deviceRemoved(let event): ZigBeeViews.removed(event, tables)
        case .deviceLeft(let event): tables.remove(ZigBeeDeviceRow.self, event.device.rawValue)
        case .beaconRegionSet(let event): BeaconRegionViews.set(event, tables)
        case .beaconRegionRemoved(let event): BeaconRegionViews.removed(event, tables)
        case .beaconRegionEntered(let event): tables.put(RegionVisitRow(event, at: envelope.time))
        case .beaconRegionLeft(let event):
            tables.remove(RegionVisitRow.self, RegionVisitRow.key(event.region, event.reader))
        case .quarantined, .joiningPermitted: break
        }
    }

    /// Projects a report. One that two slots recorded is one report, with the better RSSI of the two.
    private static func measured(_ event: Measured, _ envelope: Envelope, _ tables: some Tables) {
        var row = DeviceRow.row(event.device, in: tables)
        let isFirst = event.repeatKey.map { isNew($0, event.source, &row, envelope, tables) } ?? true
        guard isFirst else {
            row.copies += 1
            if let rssi = event.rssi, row.isRecent(envelope.time) { row.rssi = max(rssi, row.rssi ?? rssi) }
            tables.put(row)
            return
        }
        row.addReport(event.format, event.source, at: envelope.time)
        if event.format == ZigBee2MQTT.format { RecordedValueRow.store(event, at: envelope.time, in: tables) }
        if row.last == envelope.time {
            row.readings = event.readings
            if let rssi = event.rssi { row.rssi = rssi }
            if let lqi = event.lqi { row.lqi = lqi }
            if let battery = event.readings.first(where: { $0.quantity == .battery }) { row.battery = battery.value }
        }
        tables.put(row)
        for channel in Set(event.readings.map(\.quantity.probe.channel)) where channel > 1 {
            heard(event, channel, at: envelope.time, tables)
        }
    }

    /// Projects a further probe as a device of its own, so that a point can be bound to it.
    private static func heard(_ event: Measured, _ channel: Int, at time: Instant, _ tables: some Tables) {
        let probe = event.device.probe(channel)
        var row = DeviceRow.row(probe, in: tables)
        row.addReport(event.format, event.source, at: time)
        if row.last == time { row.readings = event.readings(of: channel) }
        tables.put(row)
    }

    private static func refused(_ event: ValuesRefused, _ envelope: Envelope, _ tables: some Tables) {
        guard let value = event.values.first else { return }
        let known = tables.get(RefusedRow.self, event.device.rawValue)
        guard known.map({ $0.at <= envelope.time }) ?? true else { return }
        tables.put(RefusedRow(event.device, value, at: envelope.time))
    }

    private static func rawReported(_ event: RawReported, _ envelope: Envelope, _ tables: some Tables) {
        var row = DeviceRow.row(event.device, in: tables)
        if isNew(RawKey.of(event), event.source, &row, envelope, tables) {
            row.addReport("raw", event.source, at: envelope.time)
        } else {
            row.copies += 1
        }
        tables.put(row)
    }

    /// Stores a recorded report. Returns false if another slot recorded it before.
    private static func isNew(
        _ key: RepeatKey, _ source: String, _ row: inout DeviceRow, _ envelope: Envelope, _ tables: some Tables
    ) -> Bool {
        let slot = envelope.origin.slot
        _ = row.names.next(key.longCounter, isNewest: row.isNewest(envelope.time), slot: slot)
        var reports = StoredReports.projecting(tables, at: envelope.recorded)
        let reception = Reception(Receiver(source, slot: slot), at: envelope.time)
        guard let match = reports.find(key, reception, isRecorded: true) else {
            reports.record(key, reception)
            return true
        }
        reports.record(reception, of: match, key.device)
        return false
    }

    /// Projects a further receiver of a report, and learns the offset of its clock.
    private static func heard(_ event: ReportHeard, _ envelope: Envelope, _ tables: some Tables) {
        if let rssi = event.rssi, var row = tables.get(DeviceRow.self, event.device.rawValue),
            row.last == event.report
        {
            row.rssi = max(rssi, row.rssi ?? rssi)
            tables.put(row)
        }
        var reports = StoredReports.projecting(tables, at: envelope.recorded)
        let reception = Reception(Receiver(event.source, slot: envelope.origin.slot), at: envelope.time)
        guard let key = event.repeatKey, let match = reports.find(key, firstHeard: event.report) else { return }
        reports.record(reception, of: match, event.device)
        guard let offset = reports.clockOffset(key, reception, of: match) else { return }
        var row =
            tables.get(ReceiverRow.self, ReceiverRow.key(Receiver.name(event.source))) ?? ReceiverRow(event.source)
        row.add(offset)
        tables.put(row)
    }

    /// Whether a report of another slot, already projected, equals one that was recorded before it.
    static func isCopy(_ event: Measured, _ envelope: Envelope, _ tables: any Tables) -> Bool {
        guard let key = event.repeatKey else { return false }
        let reception = Reception(Receiver(event.source, slot: envelope.origin.slot), at: envelope.time)
        return StoredReports.deciding(tables).holdsAsCopy(key, reception)
    }

    private static func heard(_ event: BeaconHeard, _ envelope: Envelope, _ tables: some Tables) {
        var reports = StoredReports.projecting(tables, at: envelope.recorded)
        let reception = Reception(Receiver(event.source, slot: envelope.origin.slot), at: envelope.time)
        reports.record(BeaconKey.of(event.beacon, at: envelope.time), reception)
    }

    /// Removes what was projected from pruned reports, and restarts the counts that rest on them.
    ///
    /// So the tables are the same whether they are rebuilt from all reports or from the retained ones.
    static func forget(_ pruned: JournalPruned, _ envelope: Envelope, in tables: some Tables) {
        var looked = tables.get(PrunedRow.self, envelope.origin.description) ?? PrunedRow(envelope.origin)
        looked.last = pruned.last
        looked.events += pruned.positions.count
        tables.put(looked)
        // Whether a report is a repetition may depend on a pruned one.
        guard let from = pruned.from, let to = pruned.to else { return }
        let end = to.advanced(bySeconds: ReportIdentity.reachSeconds)
        let latest = tables.get(PrunedRow.self, PrunedRow.anyOrigin)?.recorded
        // At least a day after the previous prune, also if a clock that was ahead stamped that one: what was named in
        // between may be pruned, too.
        let recorded = max(latest?.advanced(bySeconds: 86_400) ?? envelope.recorded, envelope.recorded)
        tables.put(PrunedRow(latest: recorded))
        StoredReports.forget(
            from: from.advanced(bySeconds: -ReportIdentity.reachSeconds), through: end, in: tables)
        eachDevice(in: tables) { row in
            if let left = row.without(through: end, at: recorded) {
                tables.put(left)
            } else {
                tables.remove(DeviceRow.self, row.key)
            }
        }
        each(RefusedRow.self, in: tables) { row in
            if row.at <= end { tables.remove(RefusedRow.self, row.key) }
        }
        each(RecordedValueRow.self, in: tables) { row in
            if row.at <= end { tables.remove(RecordedValueRow.self, row.key) }
        }
        AdvertViews.forget(through: end, in: tables)
    }

    /// Stores a slot's clock mark, and removes report windows that have expired by it.
    static func mark(_ event: ClockTrusted, _ envelope: Envelope, in tables: some Tables) {
        tables.put(ClockRow(event, of: envelope.origin))
        StoredReports.sweep(at: event.trusted, in: tables)
    }

    /// Limits times to `now` after the clock was set back, so that the next report is the newest.
    static func setBack(to now: Instant, in tables: some Tables) {
        eachDevice(in: tables) { row in
            guard let last = row.last, last > now else { return }
            var row = row
            row.last = now
            tables.put(row)
        }
        each(RefusedRow.self, in: tables) { row in
            guard row.at > now else { return }
            var row = row
            row.at = now
            tables.put(row)
        }
        each(RecordedValueRow.self, in: tables) { row in
            guard row.at > now else { return }
            var row = row
            row.at = now
            tables.put(row)
        }
        each(CalibrationRow.self, in: tables) { row in
            var row = row
            row.setBack(to: now)
            tables.put(row)
        }
        AdvertViews.setBack(to: now, in: tables)
        AlarmViews.setBack(to: now, in: tables)
    }

    /// Returns the time of the newest report of any device up to now; nil if there is none.
    static func newestReport(before now: Instant, in tables: some Tables) -> Instant? {
        var newest: Instant?
        eachDevice(in: tables) { row in
            if let last = row.last, last <= now { newest = max(newest ?? last, last) }
        }
        return newest
    }

    private static func eachDevice(in tables: some Tables, _ body: (DeviceRow) -> Void) {
        each(DeviceRow.self, in: tables, body)
    }

    /// Calls `body` with every row of a table, page by page. `body` may change or remove the row.
    static func each<Row: TableRow>(_ type: Row.Type, in tables: some Tables, _ body: (Row) -> Void) {
        var after: String?
        repeat {
            let page = tables.scan(type, prefix: "", after: after, limit: SensorLimits.pageItems)
            page.forEach(body)
            after = page.count == SensorLimits.pageItems ? page.last?.key : nil
        } while after != nil
    }

    private static func unbind(_ point: PointID, from other: DeviceID? = nil, _ tables: some Tables) {
        guard let before = tables.get(PointRow.self, point.rawValue)?.device, before != other,
            var row = tables.get(DeviceRow.self, before.rawValue)
        else { return }
        row.point = nil
        tables.put(row)
    }

    private static func bound(_ event: PointBound, _ tables: some Tables) {
        unbind(event.point, from: event.device, tables)
        tables.put(PointRow(event))
        guard let device = event.device else { return }
        var row = DeviceRow.row(device, in: tables)
        row.point = event.point
        tables.put(row)
    }

    private static func set(_ event: RuleSet, _ tables: some Tables) {
        if let before = tables.get(RuleScopeRow.self, event.rule.rawValue)?.scope, before != RuleScope(event),
            var row = tables.get(ScopeRulesRow.self, before.description)
        {
            row.rules.removeAll { $0.rule == event.rule }
            tables.put(row)
        }
        let scope = RuleScope(event)
        var row = tables.get(ScopeRulesRow.self, scope.description) ?? ScopeRulesRow(scope)
        row.rules.removeAll { $0.rule == event.rule }
        row.rules.append(event)
        tables.put(row)
        tables.put(RuleScopeRow(event))
    }
}

/// The repeat key of a recorded raw report.
enum RawKey {
    static func of(_ event: RawReported) -> RepeatKey {
        RawReport(
            device: event.device, profile: UInt16(truncatingIfNeeded: event.profile),
            cluster: UInt16(truncatingIfNeeded: event.cluster), endpoint: UInt8(truncatingIfNeeded: event.endpoint),
            tsn: event.counter.map { UInt8(truncatingIfNeeded: $0) }, payload: Hex.decode(event.payload) ?? []
        ).repeatKey
    }
}

/// The repeat key of a beacon in one minute, which makes it one event a minute.
enum BeaconKey {
    static func of(_ beacon: String, at time: Instant) -> RepeatKey {
        RepeatKey(
            device: DeviceID("beacon/\(beacon)"), rule: .sequence, counter: UInt64(clamping: minute(time)), payload: [])
    }

    static func minute(_ time: Instant) -> Int64 { time.microseconds / 60_000_000 }
}
