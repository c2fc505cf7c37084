import EventSourcing
import Events
import Vocabulary

/// Holds reports against the rules of the place they come from; sees what it decided itself within one step.
struct AlarmEvaluator {
    private let tables: any Tables
    private let now: Instant
    private var states: [String: Alarm.State] = [:]
    /// The newest report of each device that was held against rules.
    private(set) var newest: [DeviceID: Instant]

    /// `newest` comes from the watch before: what the hub tells is in the tables already when it is judged, so they do
    /// not say any more what was the newest before it.
    init(_ tables: any Tables, newest: [DeviceID: Instant], at now: Instant) {
        self.tables = tables
        self.now = now
        self.newest = newest
    }

    /// The alarms that a report raises or clears. A report older than the device's newest says nothing about now.
    mutating func judge(_ report: Measured, at time: Instant, id: UUID) -> [Draft] {
        let device = tables.get(DeviceRow.self, report.device.rawValue)
        guard time >= device.flatMap({ known($0, report.device) }) ?? time else { return [] }
        return report.divided { tables.get(DeviceRow.self, $0.rawValue)?.point }
            .flatMap { judge($0, of: report.device, at: time, id: id) }
    }

    /// The same for what belongs to one point.
    private mutating func judge(
        _ report: ProbeReadings<PointID>, of device: DeviceID, at time: Instant, id: UUID
    ) -> [Draft] {
        let point = report.point
        guard let place = tables.get(PointRow.self, point.rawValue)?.place,
            let rules = tables.get(PlaceRulesRow.self, place.description)?.rules
        else { return [] }
        newest[device] = time
        var drafts: [Draft] = []
        for rule in rules {
            for reading in report.readings where reading.quantity == rule.quantity {
                let key = "\(rule.rule)|\(point)"
                var state = states[key] ?? stored(key)
                let command = Alarm.Command(rule: rule, point: point, device: report.device, value: reading.value)
                for fact in Alarm.decide(command, in: state) {
                    Alarm.evolve(&state, with: fact)
                    drafts.append(
                        Draft(
                            fact.event, in: "alarm/\(rule.rule)/\(point)", at: time, by: .node(device),
                            causation: id))
                }
                states[key] = state
            }
        }
        return drafts
    }

    /// When the newest report before was heard. One of the future was heard before the clock was set back, and would
    /// make everything look late until the clock is there again.
    private func known(_ row: DeviceRow, _ device: DeviceID) -> Instant? {
        (newest[device] ?? row.last).flatMap { $0 <= now ? $0 : nil }
    }

    private func stored(_ key: String) -> Alarm.State {
        Alarm.State(isOn: tables.get(AlarmRow.self, key).map { $0.cleared == nil } ?? false)
    }
}
