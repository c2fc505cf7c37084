import EventSourcing
import Events
import Vocabulary

/// What is published of a measuring point to other programs.
struct AnnouncedPoint: Equatable {
    let point: PointID
    let title: String
    let maker: String?
    let model: String?
    /// The values of the newest report, and its time; none and nil before the first one.
    let readings: [Reading]
    let last: Instant?
    /// Seconds after the newest report until which its values count as present.
    let patience: Double
    /// The alarms that are on.
    let alarms: [AlarmRow]

    /// Whether the newest values are still those of the present.
    func isPresent(at now: Instant) -> Bool { last.map { now.seconds(since: $0) <= patience } ?? false }

    /// Returns the next points in order of their names, calibrated, and the name of the last one; nil at the end.
    static func next(
        after: String?, limit: Int, in tables: any Tables
    ) -> (points: [AnnouncedPoint], last: String?) {
        let rows = tables.scan(PointRow.self, prefix: "", after: after, limit: limit)
        guard !rows.isEmpty else { return ([], nil) }
        let on = Dictionary(
            grouping: tables.find(AlarmRow.self, where: "state", is: AlarmRow.on, limit: .max), by: \.point)
        let points = rows.map { row in
            let device = row.device.flatMap { tables.get(DeviceRow.self, $0.rawValue) }
            let make = row.device.flatMap { tables.get(DeviceMakeRow.self, $0.rawValue) }
            let readings = device.flatMap { device in
                device.last.map { tables.calibrated(device.readings, of: DeviceID(device.key), at: $0) }
            }
            let point = PointID(row.key)
            return AnnouncedPoint(
                point: point, title: row.title, maker: make?.maker, model: make?.model, readings: readings ?? [],
                last: device?.last, patience: Rhythm.patience(device?.interval), alarms: on[point] ?? [])
        }
        return (points, rows.count == limit ? rows.last?.key : nil)
    }
}
