import Events
import Vocabulary

// What rows of the tables look like in responses.
extension AlarmResponse {
    init(_ row: AlarmRow) {
        self.init(
            rule: row.rule, point: row.point, place: row.place, device: row.device, quantity: row.quantity,
            value: row.value, limit: row.limit, overMinutes: row.overMinutes, goods: row.goods, lots: row.lots,
            raised: row.raised, cleared: row.cleared, notified: row.handling.notified, step: row.handling.step,
            acknowledged: row.handling.acknowledged, acknowledgedBy: row.handling.acknowledgedBy,
            comment: row.handling.comment)
    }
}

extension RefusedResponse {
    init(_ row: RefusedRow) {
        self.init(
            quantity: row.quantity, value: row.value, unit: row.quantity.unit, reason: row.reason, at: row.at)
    }
}

extension PointResponse {
    init(_ row: PointRow) {
        self.init(point: PointID(row.key), title: row.title, place: row.place, device: row.device)
    }
}

extension UnreadDeviceResponse {
    init(_ row: UnreadDeviceRow) {
        self.init(
            device: DeviceID(row.key), reason: UnreadReason(rawValue: row.reason) ?? .unsupported, detail: row.detail,
            last: row.last, source: row.source, rssi: row.rssi, data: row.data)
    }
}
