import EventSourcing
import Events
import Radio
import Vocabulary

/// A device of a ZigBee network that the farm formed or opened. The key is the device.
struct ZigBeeDeviceRow: TableRow {
    static let schema = TableSchema(
        "zigbee_device",
        [
            ("source", .text), ("short", .integer), ("joined", .integer), ("interviewed", .integer),
            ("is_router", .integer), ("reporting", .text), ("unfulfilled", .text), ("is_removed", .integer),
        ], indexed: ["source"])

    let key: String
    /// The coordinator.
    let source: String
    var short: UInt16
    var joined: Instant
    /// When it was set up to report; nil if it was not yet.
    var interviewed: Instant?
    var isRouter = false
    /// What it reports by itself, separated by `, `, and what it should report and does not, separated by `; `.
    var reporting = ""
    var unfulfilled = ""
    /// Whether a person had it removed; it is then requested to leave.
    var isRemoved = false

    init(_ event: DeviceJoined, at time: Instant) {
        key = event.device.rawValue
        source = event.source
        short = UInt16(clamping: event.short)
        joined = time
    }

    init(_ event: DeviceInterviewed, at time: Instant) {
        key = event.device.rawValue
        source = event.source
        short = 0xFFFF
        joined = time
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        source = try cells.text()
        short = UInt16(clamping: try cells.integer())
        joined = Instant(microseconds: try cells.integer())
        interviewed = try cells.optionalInteger().map(Instant.init(microseconds:))
        isRouter = try cells.integer() != 0
        reporting = try cells.text()
        unfulfilled = try cells.text()
        isRemoved = try cells.integer() != 0
    }

    var cells: [Cell] {
        [
            .text(source), .integer(Int64(short)), .integer(joined.microseconds),
            Cell(interviewed.map { $0.microseconds }), .integer(isRouter ? 1 : 0), .text(reporting),
            .text(unfulfilled), .integer(isRemoved ? 1 : 0),
        ]
    }

    /// The IEEE address; nil if the key has none.
    var ieee: UInt64? { UInt64(key.dropFirst(3), radix: 16) }
}

/// The projection of ZigBee networks and their devices.
enum ZigBeeViews {
    /// A new network has no devices.
    static func formed(_ event: NetworkFormed, _ tables: some Tables) {
        while true {
            let rows = tables.find(ZigBeeDeviceRow.self, where: "source", is: event.source, limit: 256)
            for row in rows { tables.remove(ZigBeeDeviceRow.self, row.key) }
            if rows.count < 256 { return }
        }
    }

    static func joined(_ event: DeviceJoined, at time: Instant, _ tables: some Tables) {
        var row = ZigBeeDeviceRow(event, at: time)
        // A device that joins again stays set up until it has been interviewed again.
        if let known = tables.get(ZigBeeDeviceRow.self, row.key), known.source == row.source {
            (row.interviewed, row.isRouter) = (known.interviewed, known.isRouter)
            (row.reporting, row.unfulfilled) = (known.reporting, known.unfulfilled)
        }
        tables.put(row)
    }

    static func interviewed(_ event: DeviceInterviewed, at time: Instant, _ tables: some Tables) {
        var row =
            tables.get(ZigBeeDeviceRow.self, event.device.rawValue) ?? ZigBeeDeviceRow(event, at: time)
        row.interviewed = time
        row.isRouter = event.isRouter
        row.reporting = event.reporting.joined(separator: ", ")
        row.unfulfilled = event.unfulfilled.joined(separator: "; ")
        tables.put(row)
    }

    static func removed(_ event: DeviceRemoved, _ tables: some Tables) {
        guard var row = tables.get(ZigBeeDeviceRow.self, event.device.rawValue) else { return }
        row.isRemoved = true
        tables.put(row)
    }
}
