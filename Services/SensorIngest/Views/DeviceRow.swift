import EventSourcing
import Events
import JSON
import Radio
import Vocabulary

/// A radio as it was heard last, and what is remembered to tell its repeats from news.
struct DeviceRow: TableRow {
    static let schema = TableSchema(
        "device",
        [
            ("format", .text), ("first", .integer), ("last", .integer), ("reports", .integer), ("copies", .integer),
            ("readings", .text), ("rssi", .integer), ("source", .text), ("memory", .text), ("point", .text),
        ], version: 3)

    let key: String
    var format = ""
    var first: Instant?
    var last: Instant?
    var reports = 0
    /// Reports that another slot had told already.
    var copies = 0
    var readings: [Events.Reading] = []
    var rssi: Int?
    var source = ""
    var memory = RepeatMemory()
    var point: PointID?

    init(_ device: DeviceID) {
        key = device.rawValue
    }

    init(key: String, cells: [Cell]) throws(BadRow) {
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
            throw BadRow(table: Self.schema.name, key: key)
        }
        rssi = try reader.optionalInteger().map { Int($0) }
        source = try reader.text()
        memory = try reader.text { RepeatMemory(text: $0) }
        point = try reader.optionalText().map { PointID($0) }
    }

    var cells: [Cell] {
        var json = JSONWriter()
        readings.write(to: &json)
        return [
            .text(format), Cell(first?.microseconds), Cell(last?.microseconds), .integer(Int64(reports)),
            .integer(Int64(copies)), .text(String(decoding: json.bytes, as: UTF8.self)), Cell(rssi.map(Int64.init)),
            .text(source),
            .text(memory.text), Cell(point?.rawValue),
        ]
    }

    /// One more report, whenever it was heard.
    mutating func hear(_ format: String, _ source: String, at time: Instant) {
        reports += 1
        first = min(first ?? time, time)
        last = max(last ?? time, time)
        guard last == time else { return }
        self.format = format
        self.source = source
    }

    /// Whether a copy heard then may be one of the newest report.
    func isRecent(_ time: Instant) -> Bool {
        last.map { abs($0.seconds(since: time)) <= RepeatRule.longestSeconds } ?? true
    }

    /// The row without what was heard up to a moment; nil where nothing else is known of the device.
    func without(through end: Instant) -> DeviceRow? {
        guard let last, last > end else {
            guard let point else { return nil }
            var row = DeviceRow(DeviceID(key))
            row.point = point
            return row
        }
        var row = self
        row.memory.forget(through: end)
        (row.reports, row.copies, row.first) = (0, 0, nil)
        return row
    }
}

/// How far a slot has looked for old reports in its journal, and how many it has let go. The key is the origin.
struct PrunedRow: TableRow {
    static let schema = TableSchema("pruned", [("last", .integer), ("events", .integer)])

    let key: String
    var last: Position = 0
    var events = 0

    init(_ origin: Origin) {
        key = origin.description
    }

    init(key: String, cells: [Cell]) throws(BadRow) {
        var reader = try CellReader(Self.schema, key, cells)
        self.key = key
        last = Position(clamping: try reader.integer())
        events = try reader.int()
    }

    var cells: [Cell] { [.integer(Int64(clamping: last)), .integer(Int64(events))] }
}

/// A measuring point.
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

    init(key: String, cells: [Cell]) throws(BadRow) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        title = try cells.text()
        place = try cells.text(Place.init)
        device = try cells.optionalText().map { DeviceID($0) }
    }

    var cells: [Cell] { [.text(title), .text(place.description), Cell(device?.rawValue)] }
}
