import EventSourcing
import Events
import Vocabulary

/// The make that a device reported. The key is the device.
struct DeviceMakeRow: TableRow {
    static let schema = TableSchema("device_make", [("maker", .text), ("model", .text)])

    let key: String
    var maker: String?
    var model: String?

    init(_ device: DeviceID) {
        key = device.rawValue
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        maker = try cells.optionalText()
        model = try cells.optionalText()
    }

    var cells: [Cell] { [Cell(maker), Cell(model)] }

    mutating func take(_ event: DeviceIdentified) {
        maker = event.maker ?? maker
        model = event.model ?? model
    }
}

/// The newest implausible value of a device. The key is the device.
struct RefusedRow: TableRow {
    static let schema = TableSchema(
        "refused", [("quantity", .text), ("value", .real), ("reason", .text), ("at", .integer)])

    let key: String
    let quantity: Quantity
    let value: Double?
    let reason: String
    var at: Instant

    init(_ device: DeviceID, _ refused: RefusedValue, at: Instant) {
        key = device.rawValue
        quantity = refused.quantity
        value = refused.value
        reason = refused.reason
        self.at = at
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        quantity = try cells.text(Quantity.init(rawValue:))
        value = try cells.optionalReal()
        reason = try cells.text()
        at = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] { [.text(quantity.rawValue), Cell(value), .text(reason), .integer(at.microseconds)] }
}
