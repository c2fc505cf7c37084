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
        ])

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
        self.format = format
        self.source = source
        reports += 1
        first = min(first ?? time, time)
        last = max(last ?? time, time)
    }
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
