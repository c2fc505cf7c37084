import EventSourcing
import Events
import Vocabulary

/// The newest value of one quantity of a device whose messages repeat values. The key is the device and the quantity.
struct RecordedValueRow: TableRow {
    static let schema = TableSchema("recorded_value", [("value", .real), ("at", .integer)])

    let key: String
    let value: Double
    var at: Instant

    init(_ device: DeviceID, _ reading: Events.Reading, at: Instant) {
        key = Self.prefix(device) + reading.quantity.rawValue
        value = reading.value
        self.at = at
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        value = try cells.real()
        at = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] { [.real(value), .integer(at.microseconds)] }

    /// What the keys of a device begin with.
    static func prefix(_ device: DeviceID) -> String { "\(device.rawValue)|" }

    /// Stores the values of a report that are newer than the stored ones.
    static func store(_ event: Measured, at time: Instant, in tables: some Tables) {
        for reading in event.readings {
            let row = RecordedValueRow(event.device, reading, at: time)
            if tables.get(Self.self, row.key).map({ $0.at <= time }) ?? true { tables.put(row) }
        }
    }
}
