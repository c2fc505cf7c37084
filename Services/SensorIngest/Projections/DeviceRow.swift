import EventSourcing
import Events
import JSON
import Radio
import Vocabulary

/// A device with its newest report and the names of its reports. The key is the device.
struct DeviceRow: TableRow {
    static let schema = TableSchema(
        "device",
        [
            ("format", .text), ("first", .integer), ("last", .integer), ("reports", .integer), ("copies", .integer),
            ("readings", .text), ("rssi", .integer), ("source", .text), ("epoch", .integer), ("used", .integer),
            ("highest", .integer), ("point", .text), ("interval", .real), ("lqi", .integer), ("battery", .real),
        ], version: 6)

    let key: String
    var format = ""
    var first: Instant?
    var last: Instant?
    var reports = 0
    /// The number of reports that another slot had already recorded.
    var copies = 0
    var readings: [Events.Reading] = []
    var rssi: Int?
    var source = ""
    var names = ReportNames()
    var point: PointID?
    /// The learnt interval between two reports in seconds; nil before the second one.
    var interval: Double?
    /// The link quality of the newest report that has one, 0 to 255 (ZigBee).
    var lqi: Int?
    /// The last reported charge in percent, which many devices send apart from their other values.
    var battery: Double?

    private init(_ key: String) {
        self.key = key
    }

    /// Returns the row of a device, or a new one.
    ///
    /// A row that was removed because its reports were pruned continues with other names.
    static func row(_ device: DeviceID, in tables: some Tables) -> DeviceRow {
        if let row = tables.get(DeviceRow.self, device.rawValue) { return row }
        var row = DeviceRow(device.rawValue)
        if let pruned = tables.get(PrunedRow.self, PrunedRow.anyOrigin)?.recorded { row.names.skip(to: pruned) }
        return row
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var reader = try CellReader(Self.schema, key, cells)
        self.key = key
        format = try reader.text()
        first = try reader.optionalInteger().map { Instant(microseconds: $0) }
        last = try reader.optionalInteger().map { Instant(microseconds: $0) }
        reports = try reader.int()
        copies = try reader.int()
        let text = try reader.text()
        do {
            readings = try [Events.Reading](json: JSONValue.parse(text))
        } catch {
            throw RowDecodingError(table: Self.schema.name, key: key)
        }
        rssi = try reader.optionalInteger().map { Int($0) }
        source = try reader.text()
        names.epoch = try reader.integer()
        names.used = try reader.integer()
        names.highest = try reader.optionalInteger().map { UInt64(bitPattern: $0) }
        point = try reader.optionalText().map { PointID($0) }
        interval = try reader.optionalReal()
        lqi = try reader.optionalInteger().map { Int($0) }
        battery = try reader.optionalReal()
    }

    var cells: [Cell] {
        var json = JSONWriter()
        readings.write(to: &json)
        return [
            .text(format), Cell(first?.microseconds), Cell(last?.microseconds), .integer(Int64(reports)),
            .integer(Int64(copies)), .text(String(decoding: json.bytes, as: UTF8.self)), Cell(rssi.map(Int64.init)),
            .text(source), .integer(names.epoch), .integer(names.used),
            Cell(names.highest.map { Int64(bitPattern: $0) }), Cell(point?.rawValue), Cell(interval),
            Cell(lqi.map(Int64.init)), Cell(battery),
        ]
    }

    /// Adds a report; reports may arrive out of order.
    mutating func addReport(_ format: String, _ source: String, at time: Instant) {
        reports += 1
        if let last, time > last { interval = Rhythm.learn(time.seconds(since: last), after: interval) }
        first = min(first ?? time, time)
        last = max(last ?? time, time)
        guard last == time else { return }
        self.format = format
        self.source = source
    }

    /// Whether a report of this time is newer than all earlier ones.
    func isNewest(_ time: Instant) -> Bool { last.map { time > $0 } ?? true }

    /// Whether a copy received at this time may be one of the newest report.
    func isRecent(_ time: Instant) -> Bool {
        last.map { abs($0.seconds(since: time)) <= ReportIdentity.reachSeconds } ?? true
    }

    /// Returns the row without the reports up to a time, which were pruned; nil if nothing else is known of the device.
    func without(through end: Instant, at recorded: Instant) -> DeviceRow? {
        guard let last, last > end else {
            guard let point else { return nil }
            var row = DeviceRow(key)
            row.point = point
            row.names.skip(to: recorded)
            return row
        }
        var row = self
        row.names.skip(to: recorded)
        (row.reports, row.copies, row.first, row.interval) = (0, 0, nil, nil)
        return row
    }
}

/// The position up to which a slot scanned its journal for old reports, and how many it pruned. The key is the origin.
struct PrunedRow: TableRow {
    static let schema = TableSchema(
        "pruned", [("last", .integer), ("events", .integer), ("recorded", .integer)], version: 2)
    /// The key of the row with the time at which any slot pruned last.
    static let anyOrigin = "any"

    let key: String
    var last: Position = 0
    var events = 0
    /// The time at which the prune was recorded; only in the row of any origin.
    var recorded: Instant?

    init(_ origin: Origin) {
        key = origin.description
    }

    init(latest recorded: Instant) {
        key = Self.anyOrigin
        self.recorded = recorded
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var reader = try CellReader(Self.schema, key, cells)
        self.key = key
        last = Position(clamping: try reader.integer())
        events = try reader.int()
        recorded = try reader.optionalInteger().map { Instant(microseconds: $0) }
    }

    var cells: [Cell] { [.integer(Int64(clamping: last)), .integer(Int64(events)), Cell(recorded?.microseconds)] }
}

/// A measuring point. The key is the point.
struct PointRow: TableRow {
    static let schema = TableSchema("point", [("title", .text), ("place", .text), ("device", .text)])

    let key: String
    let title: String
    let place: Place
    let device: DeviceID?

    init(_ event: PointBound) {
        key = event.point.rawValue
        title = event.title
        place = event.place
        device = event.device
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        title = try cells.text()
        place = try cells.text(Place.init)
        device = try cells.optionalText().map { DeviceID($0) }
    }

    var cells: [Cell] { [.text(title), .text(place.description), Cell(device?.rawValue)] }
}
