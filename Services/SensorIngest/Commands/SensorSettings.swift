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

    func bind(_ body: RequestBody) throws(Problem) -> ([Draft], Response) {
        let point = PointID(try body.name("point"))
        let device: DeviceID? = try body.find("device")
        guard device?.manualPoint == nil else {
            throw Problem(422, "reserved", "Values that people record belong to a point without being assigned to it.")
        }
        if let device, let other = tables.get(DeviceRow.self, device.rawValue)?.point, other != point {
            throw Problem(409, "bound-elsewhere", "\(device) measures at \(other); unbind it there first.")
        }
        let event = PointBound(
            point: point, title: try body.text("title"), place: try body.get("place"), device: device)
        return (drafts(.pointBound(event), in: "point/\(point)"), .made { $0.field("point", point) })
    }

    func retire(_ body: RequestBody) throws(Problem) -> ([Draft], Response) {
        let point = PointID(try body.name("point"))
        guard tables.get(PointRow.self, point.rawValue) != nil else {
            throw Problem(404, "unknown-point", "There is no measuring point \(point).")
        }
        let event = PointRetired(point: point, reason: try body.optionalText("reason"))
        return (drafts(.pointRetired(event), in: "point/\(point)"), .made { $0.field("point", point) })
    }

    func calibrate(_ body: RequestBody) throws(Problem) -> ([Draft], Response) {
        let event = DeviceCalibrated(
            device: try body.get("device"), quantity: try body.get("quantity"),
            factor: try body.find("factor") ?? 1, offset: try body.find("offset") ?? 0,
            validUntil: try body.find("validUntil"), certificate: try body.optionalText("certificate"))
        guard event.quantity.isReported else {
            throw Problem(422, "not-measured", "\(event.quantity.rawValue) is not measured, so it has no calibration.")
        }
        guard SensorLimits.calibrationFactor.contains(event.factor) else {
            throw Problem(
                400, "malformed",
                "factor: use \(SensorLimits.calibrationFactor.lowerBound) to \(SensorLimits.calibrationFactor.upperBound)."
            )
        }
        guard abs(event.offset) <= SensorLimits.calibrationOffset else {
            throw Problem(400, "malformed", "offset: use a number up to \(SensorLimits.calibrationOffset).")
        }
        let stream = "device/\(event.device)"
        return ([Draft(event, in: stream, by: ask.actor)], .made { $0.field("device", event.device) })
    }

    func limit(_ body: RequestBody) throws(Problem) -> ([Draft], Response) {
        let rule = RuleID(try body.name("rule"))
        let quantity: Quantity = try body.get("quantity")
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
        let above: Double? = try body.find("above")
        let below: Double? = try body.find("below")
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
        let asked: Double? = try body.find("hysteresis")
        guard (asked ?? 0) >= 0 else { throw Problem(400, "malformed", "hysteresis must not be negative.") }
        let forSeconds: Int? = try body.find("forSeconds")
        guard (0...SensorLimits.pendingSeconds).contains(forSeconds ?? 0) else {
            throw Problem(400, "malformed", "forSeconds: use 0 to \(SensorLimits.pendingSeconds).")
        }
        let scope = try scope(body, of: quantity)
        var event = RuleSet(
            rule: rule, place: scope.place, quantity: quantity, above: above, below: below,
            hysteresis: asked ?? quantity.usualHysteresis(above ?? below ?? 0),
            enabled: try body.find("enabled") ?? true, forSeconds: forSeconds == 0 ? nil : forSeconds,
            urgent: try body.find("urgent", as: Bool.self) == false ? false : nil, point: scope.point,
            overMinutes: try overMinutes(body, quantity, above: above, below: below), reports: try reports(body))
        let widest = event.widestHysteresis
        guard (asked ?? 0) <= widest else {
            throw Problem(
                422, "never-over",
                "hysteresis must be \(widest) or less, a quarter of what lies within the limits, or no alarm would end."
            )
        }
        event.hysteresis = min(event.hysteresis, widest)
        return (drafts(.ruleSet(event), in: "rule/\(rule)"), .made { $0.field("rule", rule) })
    }

    /// Returns the place of a rule, and the point if it is set for one only.
    private func scope(_ body: RequestBody, of quantity: Quantity) throws(Problem) -> (place: Place, point: PointID?) {
        guard let point: PointID = try body.find("point") else {
            guard let place: Place = try body.find("place") else {
                throw Problem(422, "no-place", "Name the place or the measuring point of the limit.")
            }
            return (place, nil)
        }
        guard let row = tables.get(PointRow.self, point.rawValue) else {
            throw Problem(404, "unknown-point", "There is no measuring point \(point).")
        }
        guard quantity != .reception else {
            throw Problem(422, "no-place", "A limit of reception is about receivers; set it for a place.")
        }
        return (row.place, point)
    }

    /// Returns the minutes of a limit of change; nil for a limit of the value.
    private func overMinutes(
        _ body: RequestBody, _ quantity: Quantity, above: Double?, below: Double?
    ) throws(Problem) -> Int? {
        guard let minutes: Int = try body.find("overMinutes") else { return nil }
        guard (1...SensorLimits.changeMinutes).contains(minutes) else {
            throw Problem(400, "malformed", "overMinutes: use 1 to \(SensorLimits.changeMinutes).")
        }
        guard above ?? 1 > 0, below ?? -1 < 0, quantity.isReported else {
            throw Problem(
                422, "always-on", "For a change, above must be more than 0 and below less than 0; silence has none.")
        }
        return minutes
    }

    /// Returns how many of the last reports must be beyond the limit; nil if the newest one is enough.
    private func reports(_ body: RequestBody) throws(Problem) -> ReportShare? {
        guard let share: ReportShare = try body.find("reports") else { return nil }
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
