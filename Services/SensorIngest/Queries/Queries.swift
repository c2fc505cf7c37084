import EventSourcing
import Events
import JSON
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
        let after = try body.optionalText("after")
        switch query {
        case .devices: return devices(after)
        case .points: return points(after)
        case .rules: return rules(after)
        case .beaconRegions: return beaconRegions(after)
        case .calibrations: return calibrations(after)
        case .alarms: return alarms(after)
        case .alarmHistory: return try history(body, after)
        case .onCall: return onCallSetting()
        case .unreadDevices: return unreadDevices(after)
        case .reporting: return reporting()
        case .zigbeeDevices: return zigbeeDevices(after)
        case .coordinators: return try coordinators().list()
        case .coordinatorBackup: return try coordinators().backup(body)
        }
    }

    private func coordinators() throws(Problem) -> ZigBeeQueries {
        guard let zigbee else { throw .notPrimary }
        return zigbee
    }

    private func devices(_ after: String?) -> Response {
        list(DeviceRow.self, after, where: { DeviceID($0.key).manualPoint == nil }) { row, json in
            json.field("device", row.key)
            json.field("format", row.format)
            json.field("last", ifPresent: row.last)
            json.field("reports", row.reports)
            json.field("copies", row.copies)
            json.field("readings", row.readings)
            json.field("rssi", ifPresent: row.rssi)
            json.field("lqi", ifPresent: row.lqi)
            json.field("battery", ifPresent: row.battery)
            json.field("source", row.source)
            json.field("point", ifPresent: row.point)
            let make = tables.get(DeviceMakeRow.self, row.key)
            json.field("maker", ifPresent: make?.maker)
            json.field("model", ifPresent: make?.model)
            guard let refused = tables.get(RefusedRow.self, row.key) else { return }
            json.field("refused", object: { json in refused.write(to: &json) })
        }
    }

    /// Returns devices whose advertisements are received but not understood.
    private func unreadDevices(_ after: String?) -> Response {
        list(UnreadDeviceRow.self, after) { row, json in
            json.field("device", row.key)
            json.field("reason", row.reason)
            json.field("detail", ifPresent: row.detail)
            json.field("last", row.last)
            json.field("source", row.source)
            json.field("rssi", ifPresent: row.rssi)
            json.field("data", row.data)
        }
    }

    /// Returns the devices that joined networks of the farm, and how they were set up.
    private func zigbeeDevices(_ after: String?) -> Response {
        list(ZigBeeDeviceRow.self, after) { row, json in
            json.field("device", row.key)
            json.field("source", row.source)
            json.field("joined", row.joined)
            json.field("interviewed", ifPresent: row.interviewed)
            json.field("isRouter", row.isRouter)
            json.field("isRemoved", row.isRemoved)
            json.field("reporting", row.reporting)
            json.field("unfulfilled", row.unfulfilled)
            let make = tables.get(DeviceMakeRow.self, row.key)
            json.field("maker", ifPresent: make?.maker)
            json.field("model", ifPresent: make?.model)
            let device = tables.get(DeviceRow.self, row.key)
            json.field("last", ifPresent: device?.last)
            json.field("point", ifPresent: device?.point)
        }
    }

    private func points(_ after: String?) -> Response {
        list(PointRow.self, after) { row, json in
            json.field("point", row.key)
            json.field("title", row.title)
            json.field("place", row.place)
            json.field("device", ifPresent: row.device)
        }
    }

    /// Returns the regions of beacons, each with the readers that are in it now.
    private func beaconRegions(_ after: String?) -> Response {
        list(BeaconRegionRow.self, after) { row, json in
            json.field("region", row.key)
            json.field("title", row.title)
            json.field("beacons", row.beacons)
            let visits = tables.find(RegionVisitRow.self, where: "region", is: row.key, limit: SensorLimits.readers)
            json.field(
                "readers",
                array: { json in
                    for visit in visits {
                        json.object { json in
                            json.field("reader", visit.reader)
                            json.field("beacon", visit.beacon)
                            json.field("since", visit.since)
                        }
                    }
                })
        }
    }

    /// Returns the calibrations of all devices: of each quantity the newest.
    private func calibrations(_ after: String?) -> Response {
        let rows = tables.scan(CalibrationRow.self, prefix: "", after: after, limit: SensorLimits.pageItems)
        return .made { json in
            json.field("items", rows.flatMap(\.newest))
            json.field("next", ifPresent: rows.count == SensorLimits.pageItems ? rows.last?.key : nil)
        }
    }

    private func rules(_ after: String?) -> Response {
        let rows = tables.scan(ScopeRulesRow.self, prefix: "", after: after, limit: SensorLimits.pageItems)
        return .made { json in
            json.field(
                "items",
                array: { json in
                    for rule in rows.flatMap(\.rules) {
                        json.object { json in
                            rule.write(fields: &json)
                            let goods = GoodsRules.goods(of: rule.rule, at: rule.place, in: tables)
                            json.field("goods", ifPresent: goods?.title)
                        }
                    }
                })
        }
    }

    /// Returns the last alarm of each rule at each point, and until when it is muted.
    private func alarms(_ after: String?) -> Response {
        list(AlarmRow.self, after) { row, json in
            row.write(to: &json)
            guard let shelf = tables.get(ShelvedRow.self, row.key), shelf.isShelved(at: now) else { return }
            json.field(
                "shelved",
                object: { json in
                    json.field("until", shelf.until)
                    json.field("by", shelf.by)
                    json.field("comment", ifPresent: shelf.comment)
                })
        }
    }

    /// Returns all alarms of one point, the oldest first.
    private func history(_ body: RequestBody, _ after: String?) throws(Problem) -> Response {
        let point = try body.name("point")
        return list(AlarmHistoryRow.self, prefix: "\(point)|", after) { row, json in row.alarm.write(to: &json) }
    }

    private func onCallSetting() -> Response {
        let setting = onCall?.setting
        return .made { json in
            json.field("steps", setting?.steps ?? [])
            json.field("repeatMinutes", ifPresent: setting?.repeatMinutes)
            json.field("quiet", ifPresent: setting?.quiet)
            json.field("weeks", ifPresent: setting?.weeks)
            guard let rota = onCall?.rota else { return }
            json.field(
                "upcoming",
                array: { json in
                    for week in rota.weeks(from: now, count: SensorLimits.onCallWeeks) {
                        json.object { json in
                            json.field("begins", week.begins)
                            json.field("ends", week.ends)
                            json.field("person", week.person)
                            json.field("isSwapped", week.isSwapped)
                        }
                    }
                })
        }
    }

    func list<Row: TableRow>(
        _ type: Row.Type, prefix: String = "", _ after: String?, where isListed: (Row) -> Bool = { _ in true },
        _ write: (Row, inout JSONWriter) -> Void
    ) -> Response {
        let rows = tables.scan(type, prefix: prefix, after: after, limit: SensorLimits.pageItems)
        return .made { json in
            json.field(
                "items",
                array: { json in
                    for row in rows where isListed(row) { json.object { json in write(row, &json) } }
                })
            json.field("next", ifPresent: rows.count == SensorLimits.pageItems ? rows.last?.key : nil)
        }
    }
}

extension AlarmRow {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("rule", rule)
        json.field("point", point)
        json.field("place", place)
        json.field("device", device)
        json.field("quantity", quantity)
        json.field("value", value)
        json.field("limit", limit)
        json.field("overMinutes", ifPresent: overMinutes)
        json.field("goods", ifPresent: goods)
        if !lots.isEmpty { json.field("lots", lots) }
        json.field("raised", raised)
        json.field("cleared", ifPresent: cleared)
        json.field("notified", ifPresent: handling.notified)
        json.field("step", ifPresent: handling.step)
        json.field("acknowledged", ifPresent: handling.acknowledged)
        json.field("acknowledgedBy", ifPresent: handling.acknowledgedBy)
        json.field("comment", ifPresent: handling.comment)
    }
}

extension RefusedRow {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("quantity", quantity)
        json.field("value", ifPresent: value)
        json.field("unit", quantity.unit)
        json.field("reason", reason)
        json.field("at", at)
    }
}
