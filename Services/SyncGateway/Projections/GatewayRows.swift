import EventSourcing
import Events
import Vocabulary

/// A member of the staff or a buyer, including buyers of imported orders, identified by a random number only. The key
/// is the person.
struct StaffRow: TableRow {
    static let schema = TableSchema(
        "staff", [("role", .text), ("enrolled", .integer), ("erased", .integer)], version: 2)

    let key: String
    let role: Role
    let enrolled: Instant
    var erased: Instant?

    init(_ person: PersonID, as role: Role, at enrolled: Instant) {
        key = person.rawValue
        self.role = role
        self.enrolled = enrolled
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        role = try cells.text(Role.init(rawValue:))
        enrolled = Instant(microseconds: try cells.integer())
        erased = try cells.optionalInteger().map { Instant(microseconds: $0) }
    }

    var cells: [Cell] { [.text(role.rawValue), .integer(enrolled.microseconds), Cell(erased?.microseconds)] }
}

/// The latest state of an alarm. The key is `<rule>|<point>`.
struct GatewayAlarmRow: TableRow {
    static let schema = TableSchema(
        "alarm", [("place", .text), ("quantity", .text), ("bound", .real), ("raised", .integer), ("cleared", .integer)])

    let key: String
    let place: Place
    let quantity: Quantity
    let limit: Double
    let raised: Instant
    var cleared: Instant?

    init(_ event: AlarmRaised, at raised: Instant) {
        key = Self.key(event.rule, event.point)
        place = event.place
        quantity = event.quantity
        limit = event.limit
        self.raised = raised
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        place = try cells.text(Place.init)
        quantity = try cells.text(Quantity.init(rawValue:))
        limit = try cells.real()
        raised = Instant(microseconds: try cells.integer())
        cleared = try cells.optionalInteger().map { Instant(microseconds: $0) }
    }

    var cells: [Cell] {
        [
            .text(place.description), .text(quantity.rawValue), .real(limit), .integer(raised.microseconds),
            Cell(cleared?.microseconds),
        ]
    }

    static func key(_ rule: RuleID, _ point: PointID) -> String { "\(rule)|\(point)" }
}

/// The point and place at which a device measures. The key is the device.
struct GatewayDevicePlaceRow: TableRow {
    static let schema = TableSchema(
        "device_place", [("point", .text), ("place", .text)], indexed: ["point"], version: 2)

    let key: String
    let point: PointID
    let place: Place

    init(_ device: DeviceID, point: PointID, place: Place) {
        key = device.rawValue
        self.point = point
        self.place = place
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        point = PointID(try cells.text())
        place = try cells.text(Place.init)
    }

    var cells: [Cell] { [.text(point.rawValue), .text(place.description)] }
}
