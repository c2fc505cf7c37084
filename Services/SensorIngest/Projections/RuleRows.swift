import EventSourcing
import Events
import JSON
import Vocabulary

/// The rules of one place, all in one row, so that a report costs one look-up. The key is the place.
struct PlaceRulesRow: TableRow {
    static let schema = TableSchema("place_rules", [("rules", .text)])

    let key: String
    var rules: [RuleSet]

    init(_ place: Place) {
        key = place.description
        rules = []
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var reader = try CellReader(Self.schema, key, cells)
        self.key = key
        let text = try reader.text()
        do {
            rules = try [RuleSet](json: JSONValue.parse(text))
        } catch {
            throw RowDecodingError(table: Self.schema.name, key: key)
        }
    }

    var cells: [Cell] {
        var json = JSONWriter()
        json.array { json in
            for rule in rules { json.object { json in rule.write(fields: &json) } }
        }
        return [.text(String(decoding: json.bytes, as: UTF8.self))]
    }
}

/// The place at which a rule is set. The key is the rule.
struct RulePlaceRow: TableRow {
    static let schema = TableSchema("rule_place", [("place", .text)])

    let key: String
    let place: Place

    init(_ rule: RuleID, _ place: Place) {
        key = rule.rawValue
        self.place = place
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        place = try cells.text(Place.init)
    }

    var cells: [Cell] { [.text(place.description)] }
}

/// The last alarm of a rule at a point. The key is `<rule>|<point>`.
struct AlarmRow: TableRow {
    static let schema = TableSchema(
        "alarm",
        [
            ("place", .text), ("device", .text), ("quantity", .text), ("value", .real), ("bound", .real),
            ("raised", .integer), ("cleared", .integer), ("state", .text),
        ], indexed: ["state"])
    /// The state of an alarm that is not cleared.
    static let on = "on"

    let key: String
    let place: Place
    let device: DeviceID
    let quantity: Quantity
    let value: Double
    let limit: Double
    let raised: Instant
    var cleared: Instant?

    init(_ event: AlarmRaised, at raised: Instant) {
        key = "\(event.rule)|\(event.point)"
        place = event.place
        device = event.device
        quantity = event.quantity
        value = event.value
        limit = event.limit
        self.raised = raised
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        place = try cells.text(Place.init)
        device = DeviceID(try cells.text())
        quantity = try cells.text(Quantity.init(rawValue:))
        value = try cells.real()
        limit = try cells.real()
        raised = Instant(microseconds: try cells.integer())
        cleared = try cells.optionalInteger().map { Instant(microseconds: $0) }
    }

    var cells: [Cell] {
        [
            .text(place.description), .text(device.rawValue), .text(quantity.rawValue), .real(value), .real(limit),
            .integer(raised.microseconds), Cell(cleared?.microseconds), .text(cleared == nil ? Self.on : "off"),
        ]
    }

    var rule: RuleID { RuleID(String(key.prefix { $0 != "|" })) }
    var point: PointID { PointID(String(key.drop { $0 != "|" }.dropFirst())) }
}
