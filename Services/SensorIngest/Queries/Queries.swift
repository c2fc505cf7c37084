import EventSourcing
import Events
import Vocabulary
import Wire

/// The read-only requests of sensor-ingest, answered from its tables.
struct Queries {
    let tables: any Tables
    let now: Instant
    /// The connected radios of this process that do not work.
    let radios: [SilentRadio]
    /// The connections to MQTT brokers, by source.
    let brokers: [String: BrokerStatus]
    /// Who is notified of alarms; nil if nothing is set.
    let onCall: OnCall?
    /// The coordinators; nil if another slot has them.
    let zigbee: ZigBeeQueries?

    init(
        _ tables: any Tables, at now: Instant, radios: [SilentRadio] = [], brokers: [String: BrokerStatus] = [:],
        onCall: OnCall? = nil, zigbee: ZigBeeQueries? = nil
    ) {
        self.zigbee = zigbee
        self.onCall = onCall
        self.brokers = brokers
        self.tables = tables
        self.now = now
        self.radios = radios
    }

    func answer(_ query: SensorQueryName, _ body: RequestBody) throws(Problem) -> Response {
        switch query {
        case .devices: .made(devices(try DevicesQuery(body)))
        case .points: .made(page(after: try PointsQuery(body).after, PointResponse.init))
        case .rules: .made(rules(try RulesQuery(body)))
        case .beaconRegions: .made(page(after: try BeaconRegionsQuery(body).after, beaconRegion))
        case .calibrations: .made(calibrations(try CalibrationsQuery(body)))
        case .alarms: .made(page(after: try AlarmsQuery(body).after, alarm))
        case .alarmHistory: .made(history(try AlarmHistoryQuery(body)))
        case .onCall: .made(onCallSetting())
        case .unreadDevices: .made(page(after: try UnreadDevicesQuery(body).after, UnreadDeviceResponse.init))
        case .reporting: .made(reporting())
        case .zigbeeDevices: .made(page(after: try ZigbeeDevicesQuery(body).after, zigbeeDevice))
        case .coordinators: .made(try coordinators().list())
        case .coordinatorBackup: .made(try coordinators().backup(CoordinatorBackupQuery(body)))
        }
    }

    private func coordinators() throws(Problem) -> ZigBeeQueries {
        guard let zigbee else { throw .notPrimary }
        return zigbee
    }

    // MARK: Devices

    private func devices(_ query: DevicesQuery) -> ResponsePage<HeardDeviceResponse> {
        page(after: query.after) { (row: DeviceRow) in
            let device = DeviceID(row.key)
            guard device.manualPoint == nil else { return nil }
            let make = tables.get(DeviceMakeRow.self, row.key)
            return HeardDeviceResponse(
                device: device, format: row.format, last: row.last, reports: row.reports, copies: row.copies,
                readings: row.readings, rssi: row.rssi, lqi: row.lqi, battery: row.battery, source: row.source,
                point: row.point, maker: make?.maker, model: make?.model,
                refused: tables.get(RefusedRow.self, row.key).map(RefusedResponse.init))
        }
    }

    /// Returns a device that joined a network of the farm, and how it was set up.
    private func zigbeeDevice(_ row: ZigBeeDeviceRow) -> ZigBeeDeviceResponse {
        let make = tables.get(DeviceMakeRow.self, row.key)
        let device = tables.get(DeviceRow.self, row.key)
        return ZigBeeDeviceResponse(
            device: DeviceID(row.key), source: row.source, joined: row.joined, interviewed: row.interviewed,
            isRouter: row.isRouter, isRemoved: row.isRemoved, reporting: row.reporting, unfulfilled: row.unfulfilled,
            maker: make?.maker, model: make?.model, last: device?.last, point: device?.point)
    }

    /// Returns a region of beacons with the readers that are in it now.
    private func beaconRegion(_ row: BeaconRegionRow) -> BeaconRegionResponse {
        let visits = tables.find(RegionVisitRow.self, where: "region", is: row.key, limit: SensorLimits.readers)
        return BeaconRegionResponse(
            region: BeaconRegionID(row.key), title: row.title, beacons: row.beacons,
            readers: visits.map { visit in
                RegionReaderResponse(reader: visit.reader, beacon: visit.beacon, since: visit.since)
            })
    }

    /// Returns the calibrations of all devices: of each quantity the newest.
    private func calibrations(_ query: CalibrationsQuery) -> ResponsePage<CalibrationResponse> {
        flatPage(after: query.after) { (row: CalibrationRow) in
            row.newest.map { CalibrationResponse(since: $0.since, calibration: $0.calibration) }
        }
    }

    // MARK: Limits and alarms

    private func rules(_ query: RulesQuery) -> ResponsePage<RuleResponse> {
        flatPage(after: query.after) { (row: ScopeRulesRow) in
            row.rules.map { rule in
                RuleResponse(rule: rule, goods: GoodsRules.goods(of: rule.rule, at: rule.place, in: tables)?.title)
            }
        }
    }

    /// Returns the last alarm of a rule at a point, and until when it is muted.
    private func alarm(_ row: AlarmRow) -> AlarmResponse {
        var alarm = AlarmResponse(row)
        if let shelf = tables.get(ShelvedRow.self, row.key), shelf.isShelved(at: now) {
            alarm.shelved = ShelvingResponse(until: shelf.until, by: shelf.by, comment: shelf.comment)
        }
        return alarm
    }

    /// Returns all alarms of one point, the oldest first.
    private func history(_ query: AlarmHistoryQuery) -> ResponsePage<AlarmResponse> {
        page(prefix: "\(query.point)|", after: query.after) { (row: AlarmHistoryRow) in AlarmResponse(row.alarm) }
    }

    private func onCallSetting() -> OnCallResponse {
        OnCallResponse(
            setting: onCall?.setting ?? OnCallSet(steps: []),
            upcoming: onCall?.rota.map { rota in
                rota.weeks(from: now, count: SensorLimits.onCallWeeks).map { week in
                    OnCallWeekResponse(
                        begins: week.begins, ends: week.ends, person: week.person, isSwapped: week.isSwapped)
                }
            })
    }

    // MARK: Pages

    /// Returns a page of what `item` makes of the rows; a row of which it makes nil is left out.
    private func page<Row: TableRow, Item>(
        prefix: String = "", after: String?, _ item: (Row) -> Item?
    ) -> ResponsePage<Item> {
        flatPage(prefix: prefix, after: after) { row in item(row).map { [$0] } ?? [] }
    }

    /// Returns a page of all items that `items` makes of the rows.
    private func flatPage<Row: TableRow, Item>(
        prefix: String = "", after: String?, _ items: (Row) -> [Item]
    ) -> ResponsePage<Item> {
        let rows = tables.scan(Row.self, prefix: prefix, after: after, limit: SensorLimits.pageItems)
        return ResponsePage(
            rows.flatMap(items), next: rows.count == SensorLimits.pageItems ? rows.last?.key : nil)
    }
}
