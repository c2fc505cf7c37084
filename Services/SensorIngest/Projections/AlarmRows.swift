import EventSourcing
import Events
import Vocabulary

/// The last alarm of a rule at a point. The key is `<rule>|<point>`.
struct AlarmRow: TableRow, Equatable {
    static let schema = TableSchema(
        "alarm",
        [
            ("place", .text), ("device", .text), ("quantity", .text), ("value", .real), ("bound", .real),
            ("raised", .integer), ("cleared", .integer), ("state", .text), ("step", .integer), ("notified", .integer),
            ("began", .integer), ("requested", .integer), ("acknowledged", .integer), ("acknowledged_by", .text),
            ("comment", .text),
            ("position", .integer), ("goods", .text), ("lots", .text), ("urgent", .integer),
            ("over_minutes", .integer),
        ], indexed: ["state"])
    /// The state of an alarm that is not cleared.
    static let on = "on"

    let key: String
    let place: Place
    let device: DeviceID
    let quantity: Quantity
    let value: Double
    let limit: Double
    private(set) var raised: Instant
    private(set) var cleared: Instant?
    /// How far people were notified of the incident, and who acknowledged it.
    private(set) var handling = AlarmHandling()
    /// The position of the event that raised it in the journal; 0 if it is not committed yet.
    let position: Position
    /// The goods whose limit it is, and their lots when it was raised; nil and none for a limit of the place.
    let goods: String?
    let lots: [LotID]
    /// Whether people are notified during quiet hours, too.
    let isUrgent: Bool
    /// The minutes of a limit of change, of which `value` is the change; nil for a limit of the value.
    let overMinutes: Int?

    /// Creates the row of an alarm that is raised.
    ///
    /// - Parameter last: the row before; nil if the rule never raised an alarm at the point.
    init(_ event: AlarmRaised, at raised: Instant, position: Position = 0, after last: AlarmRow?) {
        key = Self.key(event.rule, event.point)
        place = event.place
        device = event.device
        quantity = event.quantity
        value = event.value
        limit = event.limit
        self.raised = raised
        self.position = position
        goods = event.goods
        lots = event.lots
        isUrgent = event.urgent ?? true
        overMinutes = event.overMinutes
        if let last, last.isSameIncident(at: raised) { handling = last.handling }
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        try self.init(key: key, reading: &cells)
    }

    /// Reads the row's cells, which may follow others.
    init(key: String, reading cells: inout CellReader) throws(RowDecodingError) {
        self.key = key
        place = try cells.text(Place.init)
        device = DeviceID(try cells.text())
        quantity = try cells.text(Quantity.init(rawValue:))
        value = try cells.real()
        limit = try cells.real()
        raised = Instant(microseconds: try cells.integer())
        cleared = try cells.optionalInteger().map { Instant(microseconds: $0) }
        _ = try cells.text()
        handling = try AlarmHandling(&cells)
        position = Position(try cells.integer())
        goods = try cells.optionalText()
        lots = try cells.text().split(separator: " ").map { LotID(String($0)) }
        isUrgent = try cells.integer() != 0
        overMinutes = try cells.optionalInteger().map { Int($0) }
    }

    var cells: [Cell] {
        [
            .text(place.description), .text(device.rawValue), .text(quantity.rawValue), .real(value), .real(limit),
            .integer(raised.microseconds), Cell(cleared?.microseconds), .text(isOn ? Self.on : "off"),
        ] + handling.cells + [
            .integer(Int64(position)), Cell(goods), .text(lots.map(\.rawValue).joined(separator: " ")),
            .integer(isUrgent ? 1 : 0), Cell(overMinutes.map(Int64.init)),
        ]
    }

    var isOn: Bool { cleared == nil }
    var rule: RuleID { RuleID(String(key.prefix { $0 != "|" })) }
    var point: PointID { PointID(String(key.drop { $0 != "|" }.dropFirst())) }

    /// The stream of the alarm's events.
    var stream: String { Self.stream(rule, point) }

    static func stream(_ rule: RuleID, _ point: PointID) -> String { "alarm/\(rule)/\(point)" }
    static func key(_ rule: RuleID, _ point: PointID) -> String { "\(rule)|\(point)" }

    /// Whether an alarm that is raised at `time` belongs to the incident of this one.
    private func isSameIncident(at time: Instant) -> Bool {
        if let notified = handling.notified, time.seconds(since: notified) > Escalation.incidentSecondsAtMost {
            return false
        }
        guard let cleared else { return true }
        return abs(time.seconds(since: cleared)) <= Escalation.incidentSeconds
    }

    /// Limits times that are ahead of a clock that was set back.
    mutating func setBack(to now: Instant) {
        raised = min(raised, now)
        cleared = cleared.map { min($0, now) }
        handling.notified = handling.notified.map { min($0, now) }
        handling.began = handling.began.map { min($0, now) }
        handling.requested = handling.requested.map { min($0, now) }
        handling.acknowledged = handling.acknowledged.map { min($0, now) }
    }

    mutating func clear(at time: Instant) { cleared = time }

    mutating func notify(_ event: AlarmNotificationRequested, at time: Instant) {
        handling.step = event.step
        handling.notified = handling.notified ?? time
        handling.began = handling.began ?? time
        handling.requested = time
    }

    /// Ends the escalation: after the shelving another one begins with the first step.
    mutating func endEscalation() {
        handling.step = nil
        handling.began = nil
        handling.requested = nil
    }

    /// Whether a person has muted the alarm until a time that has not come yet.
    func isShelved(at now: Instant, in tables: any Tables) -> Bool {
        tables.get(ShelvedRow.self, key)?.isShelved(at: now) ?? false
    }

    mutating func acknowledge(_ event: AlarmAcknowledged, by actor: Actor, at time: Instant) {
        handling.acknowledged = time
        handling.acknowledgedBy = actor.description
        handling.comment = event.comment
    }
}

/// How far people were notified of an incident, and who acknowledged it.
struct AlarmHandling: Sendable, Equatable {
    /// The last escalation step that was requested; nil before the first.
    var step: Int?
    /// When people were notified first.
    var notified: Instant?
    /// When the current escalation began: later than `notified` if the alarm was shelved in between.
    var began: Instant?
    /// When people were notified last.
    var requested: Instant?
    var acknowledged: Instant?
    /// The person, as `person/<uuid>`.
    var acknowledgedBy: String?
    var comment: String?

    init() {}

    init(_ cells: inout CellReader) throws(RowDecodingError) {
        step = try cells.optionalInteger().map { Int($0) }
        notified = try cells.optionalInteger().map { Instant(microseconds: $0) }
        began = try cells.optionalInteger().map { Instant(microseconds: $0) }
        requested = try cells.optionalInteger().map { Instant(microseconds: $0) }
        acknowledged = try cells.optionalInteger().map { Instant(microseconds: $0) }
        acknowledgedBy = try cells.optionalText()
        comment = try cells.optionalText()
    }

    var cells: [Cell] {
        [
            Cell(step.map(Int64.init)), Cell(notified?.microseconds), Cell(began?.microseconds),
            Cell(requested?.microseconds), Cell(acknowledged?.microseconds), Cell(acknowledgedBy), Cell(comment),
        ]
    }
}

/// One alarm of the past or present. The key is `<point>|<position>`, with twenty digits.
struct AlarmHistoryRow: TableRow {
    static let schema = TableSchema(
        "alarm_history", [("alarm", .text)] + AlarmRow.schema.columns.map { ($0.name, $0.kind) })

    let key: String
    let alarm: AlarmRow

    init(_ alarm: AlarmRow) {
        let digits = String(alarm.position)
        key = "\(alarm.point)|" + String(repeating: "0", count: 20 - digits.count) + digits
        self.alarm = alarm
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        alarm = try AlarmRow(key: try cells.text(), reading: &cells)
    }

    var cells: [Cell] { [.text(alarm.key)] + alarm.cells }
}

/// Who is notified of alarms. There is one row.
struct OnCallRow: TableRow {
    static let schema = TableSchema("on_call", [("setting", .text)])
    static let key = "on-call"

    let setting: OnCallSet

    init(_ setting: OnCallSet) {
        self.setting = setting
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        setting = try cells.event()
    }

    var key: String { Self.key }

    var cells: [Cell] { [Cell(event: setting)] }
}
