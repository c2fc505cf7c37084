import EventSourcing
import Events
import Vocabulary

/// Evaluates reports against the alarm rules of their place, including its own decisions within one step.
struct AlarmEvaluator {
    private let tables: any Tables
    private let now: Instant
    /// The alarms as the events of this step leave them.
    private var rows: [String: AlarmRow] = [:]
    private let onCall: OnCall?
    /// The newest of the reports that are evaluated in this step although the tables contain them already, by device.
    private let projected: [DeviceID: Instant]
    /// What is remembered from one step to the next.
    private(set) var memory: Memory

    /// What the tables do not contain. A process that restarts begins without it: an alarm that was pending is raised
    /// later, at most by what the rule waits for.
    struct Memory {
        /// The time of each device's newest evaluated report.
        var newest: [DeviceID: Instant] = [:]
        /// By `<rule>|<point>`, for rules that need it.
        var pending: [String: PendingAlarm] = [:]
    }

    /// - Parameters:
    ///   - memory: `memory` of the previous evaluator.
    ///   - heard: The reports from the hub that are to be evaluated. They are projected already, a page at a time.
    init(
        _ tables: any Tables, remembering memory: Memory, onCall: OnCall?, at now: Instant,
        heard: [RecordedEvent] = []
    ) {
        self.tables = tables
        self.now = now
        self.memory = memory
        self.onCall = onCall
        projected = heard.reduce(into: [:]) { newest, recorded in
            guard case .sensors(.measured(let report)) = recorded.fact else { return }
            newest[report.device] = max(newest[report.device] ?? recorded.envelope.time, recorded.envelope.time)
        }
    }

    /// Returns the alarms that a report raises or clears; none for a report older than the device's newest one.
    mutating func judge(_ report: Measured, at time: Instant, id: UUID) -> [Draft] {
        let device = tables.get(DeviceRow.self, report.device.rawValue)
        guard time >= device.flatMap({ known($0, report.device) }) ?? time else { return [] }
        return report.divided { $0.manualPoint ?? tables.get(DeviceRow.self, $0.rawValue)?.point }
            .flatMap { judge($0, of: report.device, at: time, id: id) }
    }

    /// Returns the alarms of the readings that belong to one point.
    private mutating func judge(
        _ report: ProbeReadings<PointID>, of device: DeviceID, at time: Instant, id: UUID
    ) -> [Draft] {
        let point = report.point
        guard let place = tables.get(PointRow.self, point.rawValue)?.place else { return [] }
        let rules = PointRules(tables).rules(of: point, at: place)
        memory.newest[device] = time
        var drafts: [Draft] = []
        let readings = tables.calibrated(report.readings, of: report.device, at: time)
        for rule in rules {
            for reading in readings where reading.quantity == rule.quantity {
                let value = Alarm.Command(
                    rule: rule, point: point, place: place, device: report.device, value: reading.value)
                guard var command = remember(value, at: time) else { continue }
                command.goods = GoodsRules.goods(of: rule.rule, at: place, in: tables)
                let stream = AlarmRow.stream(rule.rule, point)
                for fact in judge(command, at: time) {
                    drafts.append(Draft(fact.event, in: stream, at: time, by: .node(device), causation: id))
                }
                guard let request = notification(command, at: time) else { continue }
                drafts.append(Draft(request, in: stream, by: .service(SensorIngest.name), causation: id))
            }
        }
        return drafts
    }

    /// Returns a value with what is remembered of the ones before; nil if it cannot be evaluated yet.
    private mutating func remember(_ command: Alarm.Command, at time: Instant) -> Alarm.Command? {
        let key = AlarmRow.key(command.rule.rule, command.point)
        guard PendingAlarm.isNeeded(for: command.rule) else {
            memory.pending[key] = nil
            return command
        }
        let known = memory.pending[key].flatMap { $0.isFor(command) ? $0 : nil }
        var pending = known ?? PendingAlarm(command)
        let isOn = (rows[key] ?? tables.get(AlarmRow.self, key))?.isOn ?? false
        let remembered = pending.add(command, at: time, isOn: isOn)
        memory.pending[key] = pending
        return remembered
    }

    /// Returns the events that a value leads to, and applies them to the alarm's row.
    private mutating func judge(_ command: Alarm.Command, at time: Instant) -> [SensorsEvent] {
        let key = AlarmRow.key(command.rule.rule, command.point)
        var row = rows[key] ?? tables.get(AlarmRow.self, key)
        let facts = Alarm.decide(command, in: Alarm.State(isOn: row?.isOn ?? false))
        for fact in facts {
            switch fact {
            case .alarmRaised(let event): row = AlarmRow(event, at: time, after: row)
            case .alarmCleared: row?.clear(at: time)
            case .measured, .rawReported, .reportHeard, .beaconHeard, .quarantined, .pointBound, .ruleSet,
                .deviceIdentified, .valuesRefused, .advertKept, .advertDecoded, .alarmNotificationRequested,
                .alarmAcknowledged, .alarmShelved, .onCallSet, .deviceCalibrated, .pointRetired,
                .networkFormed, .joiningPermitted, .deviceJoined, .deviceInterviewed, .deviceRemoved, .deviceLeft,
                .beaconRegionSet, .beaconRegionRemoved, .beaconRegionEntered, .beaconRegionLeft:
                break
            }
        }
        rows[key] = row
        return facts
    }

    /// Returns the first notification of an alarm that is on; nil if it was requested before.
    private mutating func notification(_ command: Alarm.Command, at time: Instant) -> AlarmNotificationRequested? {
        let key = AlarmRow.key(command.rule.rule, command.point)
        guard var row = rows[key], row.isOn, let onCall, !row.isShelved(at: now, in: tables),
            let step = onCall.first(row, ageSeconds: now.seconds(since: time), at: now)
        else { return nil }
        let request = onCall.notification(of: row, step: step, at: now, in: tables)
        row.notify(request, at: now)
        rows[key] = row
        return request
    }

    /// Returns the time of the device's newest evaluated report, or nil if that time is in the future.
    ///
    /// Such a report was received before the clock was set back; compared with it, every current report would look
    /// late.
    private func known(_ row: DeviceRow, _ device: DeviceID) -> Instant? {
        var known = memory.newest[device] ?? row.last
        // It may be one of the reports that are evaluated now.
        if memory.newest[device] == nil, let last = row.last, let newest = projected[device], last <= newest {
            known = nil
        }
        return known.flatMap { $0 <= now ? $0 : nil }
    }
}
