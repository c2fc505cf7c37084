import EventSourcing
import Events
import Vocabulary

/// The projection of sensor-ingest's measurements and alarms into the ledger's tables.
enum ClimateViews {
    static func apply(_ fact: SensorsEvent, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .measured(let event):
            let parts = event.divided { PlacementRow.series(of: $0, at: envelope.time, in: tables) }
            guard !parts.isEmpty, isNew(event, envelope, tables) else { return }
            for part in parts {
                let readings = tables.calibrated(part.readings, of: part.device, at: envelope.time)
                add(readings, at: envelope.time, part.point, tables)
            }
        case .pointBound(let event): bind(event, at: envelope.time, tables)
        case .pointRetired(let event): unbind(event.point, at: envelope.time, tables)
        case .deviceCalibrated(let event): tables.calibrate(event, at: envelope.time)
        case .alarmRaised(let event):
            // A story is about measured values; what was not measured is missing there.
            guard event.quantity.isReported else { return }
            let kind = event.rule.goods(event.quantity).flatMap { tables.get(GoodsRow.self, $0)?.setting }
            tables.put(LedgerAlarmRow(event, at: envelope.time, kind: kind))
        case .alarmCleared(let event):
            let open = "\(event.rule)|\(event.point)"
            guard let row = tables.find(LedgerAlarmRow.self, where: "open", is: open, limit: 1).first else { return }
            tables.remove(LedgerAlarmRow.self, row.key)
            tables.put(row.cleared(at: envelope.time))
        case .ruleSet(let event): setLimits(event, tables)
        case .rawReported, .reportHeard, .beaconHeard, .quarantined, .deviceIdentified, .valuesRefused, .advertKept,
            .advertDecoded, .alarmNotificationRequested, .alarmAcknowledged, .alarmShelved, .onCallSet,
            .networkFormed, .joiningPermitted, .deviceJoined, .deviceInterviewed, .deviceRemoved, .deviceLeft,
            .beaconRegionSet, .beaconRegionRemoved, .beaconRegionEntered, .beaconRegionLeft:
            break
        }
    }

    /// Limits times to `now` after the clock was set back: of latest values, and of devices' placements.
    static func setBack(to now: Instant, in tables: some Tables) {
        each(LatestRow.self, in: tables) { row in
            guard row.at > now else { return }
            var row = row
            row.at = now
            tables.put(row)
        }
        each(DevicePlaceRow.self, in: tables) { row in
            guard row.since > now else { return }
            each(PlacementRow.self, "\(row.key)|", in: tables) { placed in
                if placed.since > now { tables.remove(PlacementRow.self, placed.key) }
            }
            put(row.key, row.point, row.place, since: now, tables)
        }
        each(CalibrationRow.self, in: tables) { row in
            var row = row
            row.setBack(to: now)
            tables.put(row)
        }
    }

    private static func each<Row: TableRow>(
        _ type: Row.Type, _ prefix: String = "", in tables: some Tables, _ body: (Row) -> Void
    ) {
        var after: String?
        repeat {
            let page = tables.scan(type, prefix: prefix, after: after, limit: LedgerLimits.scanned)
            page.forEach(body)
            after = page.count == LedgerLimits.scanned ? page.last?.key : nil
        } while after != nil
    }

    /// Returns whether a report is new. A packet that two slots recorded counts once at its place.
    private static func isNew(_ event: Measured, _ envelope: Envelope, _ tables: some Tables) -> Bool {
        guard let key = event.repeatKey else { return true }
        var reports = ReportDedup(tables)
        let reception = Reception(Receiver(event.source, slot: envelope.origin.slot), at: envelope.time)
        guard let match = reports.find(key, reception, isRecorded: true) else {
            reports.record(key, reception)
            return true
        }
        reports.record(reception, of: match, event.device)
        return false
    }

    private static func add(_ readings: [Reading], at time: Instant, _ series: SeriesRow, _ tables: some Tables) {
        guard let place = series.place else { return }
        if series.device.manualPoint != nil, tables.get(SeriesRow.self, series.key) == nil {
            tables.put(BindingRow(place, series.device, point: series.point))
            tables.put(series)
        }
        for reading in readings { add(reading, at: time, place, tables) }
        var row = SampleRow(series, hour: time.hours)
        row = tables.get(SampleRow.self, row.key) ?? row
        row.add(readings, at: time)
        tables.put(row)
    }

    private static func add(_ reading: Reading, at time: Instant, _ place: Place, _ tables: some Tables) {
        let key = HourRow.prefix(place, reading.quantity) + time.hours.hourDigits
        var row = tables.get(HourRow.self, key) ?? HourRow(place, reading.quantity, hour: time.hours)
        row.add(reading.value)
        tables.put(row)
        let latest = tables.get(LatestRow.self, "\(place)|\(reading.quantity.rawValue)")
        if (latest?.at).map({ $0 <= time }) ?? true {
            tables.put(LatestRow(place, reading.quantity, value: reading.value, at: time))
        }
    }

    private static func unbind(_ point: PointID, at time: Instant, _ tables: some Tables) {
        for row in tables.find(DevicePlaceRow.self, where: "point", is: point.rawValue, limit: 16) {
            put(row.key, nil, nil, since: time, tables)
        }
    }

    private static func bind(_ event: PointBound, at time: Instant, _ tables: some Tables) {
        unbind(event.point, at: time, tables)
        // Values that people record need no binding: they belong to the point wherever it is.
        put(DeviceID.manual(event.point).rawValue, event.point, event.place, since: time, tables)
        if let device = event.device {
            put(device.rawValue, event.point, event.place, since: time, tables)
            tables.put(BindingRow(event.place, device, point: event.point))
            tables.put(SeriesRow(event.place, event.point, device))
        }
    }

    /// A rule that is not enabled has no limits. That of a point stays, because it replaces the place's limits there.
    private static func setLimits(_ event: RuleSet, _ tables: some Tables) {
        let isEmpty = !event.enabled || event.above == nil && event.below == nil
        // The change of a value is compared with no curve.
        guard event.overMinutes == nil, !isEmpty || event.point != nil else {
            return tables.remove(LimitRow.self, event.rule.rawValue)
        }
        tables.put(LimitRow(event))
    }

    private static func put(
        _ device: String, _ point: PointID?, _ place: Place?, since time: Instant, _ tables: some Tables
    ) {
        tables.put(DevicePlaceRow(device, point: point, place: place, since: time))
        tables.put(PlacementRow(device, point: point, place: place, since: time))
    }
}
