import EventSourcing
import Events
import Vocabulary

/// Evaluates reports against the alarm rules of their place, including its own decisions within one step.
struct AlarmEvaluator {
    private let tables: any Tables
    private let now: Instant
    private var states: [String: Alarm.State] = [:]
    /// The time of each device's newest evaluated report.
    private(set) var newest: [DeviceID: Instant]

    /// - Parameter newest: `newest` of the previous evaluator. The tables cannot replace it: a report from the hub is
    ///   already projected when it is evaluated.
    init(_ tables: any Tables, newest: [DeviceID: Instant], at now: Instant) {
        self.tables = tables
        self.now = now
        self.newest = newest
    }

    /// Returns the alarms that a report raises or clears; none for a report older than the device's newest one.
    mutating func judge(_ report: Measured, at time: Instant, id: UUID) -> [Draft] {
        let device = tables.get(DeviceRow.self, report.device.rawValue)
        guard time >= device.flatMap({ known($0, report.device) }) ?? time else { return [] }
        return report.divided { tables.get(DeviceRow.self, $0.rawValue)?.point }
            .flatMap { judge($0, of: report.device, at: time, id: id) }
    }

    /// Returns the alarms of the readings that belong to one point.
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

    /// Returns the time of the device's newest evaluated report, or nil if that time is in the future.
    ///
    /// Such a report was received before the clock was set back; compared with it, every current report would look
    /// late.
    private func known(_ row: DeviceRow, _ device: DeviceID) -> Instant? {
        (newest[device] ?? row.last).flatMap { $0 <= now ? $0 : nil }
    }

    private func stored(_ key: String) -> Alarm.State {
        Alarm.State(isOn: tables.get(AlarmRow.self, key).map { $0.cleared == nil } ?? false)
    }
}
