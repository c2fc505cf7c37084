import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The commands by which people configure measuring points and limits.
struct SensorSettings {
    let tables: any Tables
    let ask: Request

    func bind(_ command: BindPoint) throws(Problem) -> ([Draft], Response) {
        let (point, device) = (command.point, command.device)
        guard device?.manualPoint == nil else {
            throw Problem(422, "reserved", "Values that people record belong to a point without being assigned to it.")
        }
        if let device, let other = tables.get(DeviceRow.self, device.rawValue)?.point, other != point {
            throw Problem(409, "bound-elsewhere", "\(device) measures at \(other); unbind it there first.")
        }
        let event = PointBound(point: point, title: command.title, place: command.place, device: device)
        return (drafts(.pointBound(event), in: "point/\(point)"), .made { $0.field("point", point) })
    }

    func retire(_ command: RetirePoint) throws(Problem) -> ([Draft], Response) {
        let point = command.point
        guard tables.get(PointRow.self, point.rawValue) != nil else {
            throw Problem(404, "unknown-point", "There is no measuring point \(point).")
        }
        let event = PointRetired(point: point, reason: command.reason)
        return (drafts(.pointRetired(event), in: "point/\(point)"), .made { $0.field("point", point) })
    }

    func calibrate(_ command: CalibrateDevice) throws(Problem) -> ([Draft], Response) {
        let event = DeviceCalibrated(
            device: command.device, quantity: command.quantity, factor: command.factor ?? 1,
            offset: command.offset ?? 0, validUntil: command.validUntil, certificate: command.certificate)
        guard event.quantity.isReported else {
            throw Problem(422, "not-measured", "\(event.quantity.rawValue) is not measured, so it has no calibration.")
        }
        let stream = "device/\(event.device)"
        return ([Draft(event, in: stream, by: ask.actor)], .made { $0.field("device", event.device) })
    }

    func set(_ command: SetRule) throws(Problem) -> ([Draft], Response) {
        let (rule, quantity) = (command.rule, command.quantity)
        guard rule != SilenceWatch.rule || quantity == .silence else {
            throw Problem(422, "reserved", "A limit of this name is about silence; use another name.")
        }
        guard rule != ReceiverWatch.rule || quantity == .reception else {
            throw Problem(422, "reserved", "A limit of this name is about receivers; use another name.")
        }
        guard rule != BatteryLimit.rule || quantity == .battery else {
            throw Problem(422, "reserved", "A limit of this name is about batteries; use another name.")
        }
        guard !rule.isOfGoods, quantity != .goodsConflict else {
            throw Problem(422, "reserved", "Limits of goods are set for a kind of goods; use another name.")
        }
        let (above, below) = (command.above, command.below)
        guard above != nil || below != nil else {
            throw Problem(422, "no-limit", "Set above, below or both.")
        }
        let isSilence = quantity == .silence || quantity == .reception
        guard !isSilence || below == nil && above.map({ $0 >= 1 }) ?? false else {
            throw Problem(422, "no-limit", "For silence and reception set above only: 1 minute or more.")
        }
        if let above, let below, below >= above {
            throw Problem(422, "always-on", "below must be less than above, or the alarm is always on.")
        }
        let scope = try scope(of: command)
        var event = RuleSet(
            rule: rule, place: scope.place, quantity: quantity, above: above, below: below,
            hysteresis: command.hysteresis ?? quantity.usualHysteresis(above ?? below ?? 0),
            enabled: command.enabled ?? true, forSeconds: command.forSeconds == 0 ? nil : command.forSeconds,
            urgent: command.urgent == false ? false : nil, point: scope.point,
            overMinutes: try overMinutes(of: command), reports: try reports(command.reports))
        let widest = event.widestHysteresis
        guard (command.hysteresis ?? 0) <= widest else {
            throw Problem(
                422, "never-over",
                "hysteresis must be \(widest) or less, a quarter of what lies within the limits, or no alarm would end."
            )
        }
        event.hysteresis = min(event.hysteresis, widest)
        return (drafts(.ruleSet(event), in: "rule/\(rule)"), .made { $0.field("rule", rule) })
    }

    /// Returns the place of a rule, and the point if it is set for one only.
    private func scope(of command: SetRule) throws(Problem) -> (place: Place, point: PointID?) {
        guard let point = command.point else {
            guard let place = command.place else {
                throw Problem(422, "no-place", "Name the place or the measuring point of the limit.")
            }
            return (place, nil)
        }
        guard let row = tables.get(PointRow.self, point.rawValue) else {
            throw Problem(404, "unknown-point", "There is no measuring point \(point).")
        }
        guard command.quantity != .reception else {
            throw Problem(422, "no-place", "A limit of reception is about receivers; set it for a place.")
        }
        return (row.place, point)
    }

    /// Returns the minutes of a limit of change; nil for a limit of the value.
    private func overMinutes(of command: SetRule) throws(Problem) -> Int? {
        guard let minutes = command.overMinutes else { return nil }
        guard command.above ?? 1 > 0, command.below ?? -1 < 0, command.quantity.isReported else {
            throw Problem(
                422, "always-on", "For a change, above must be more than 0 and below less than 0; silence has none.")
        }
        return minutes
    }

    /// Returns how many of the last reports must be beyond the limit; nil if the newest one is enough.
    private func reports(_ share: ReportShare?) throws(Problem) -> ReportShare? {
        guard let share else { return nil }
        guard (1...SensorLimits.countedReports).contains(share.of), (1...share.of).contains(share.beyond) else {
            throw Problem(
                422, "never-on",
                "reports: of is 1 to \(SensorLimits.countedReports), and beyond is at least 1 and at most of."
            )
        }
        return share.of == 1 ? nil : share
    }

    /// Returns the event, and the clearing of alarms that no report can clear once it is in force.
    private func drafts(_ fact: SensorsEvent, in stream: String) -> [Draft] {
        [Draft(fact.event, in: stream, by: ask.actor)]
            + OrphanedAlarms(tables: tables).clearings(after: fact, by: ask.actor)
    }
}

extension Quantity {
    /// The default hysteresis of a limit, in the quantity's unit.
    func usualHysteresis(_ limit: Double) -> Double {
        switch self {
        case .temperature, .dewPoint: 0.5
        case .humidity, .soilMoisture, .leafWetness, .battery, .fillLevel: 2
        default: abs(limit) * 0.02
        }
    }
}
