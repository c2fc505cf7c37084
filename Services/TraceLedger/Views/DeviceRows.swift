import EventSourcing
import Vocabulary

/// Which device measures where, as sensor-ingest tells it. The key is the device.
struct DevicePlaceRow: TableRow {
    static let schema = TableSchema("device_place", [("point", .text), ("place", .text)], indexed: ["point"])

    let key: String
    let point: PointID
    let place: Place

    init(_ device: DeviceID, point: PointID, place: Place) {
        key = device.rawValue
        self.point = point
        self.place = place
    }

    init(key: String, cells: [Cell]) throws(BadRow) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        point = PointID(try cells.text())
        place = try cells.text(Place.init)
    }

    var cells: [Cell] { [.text(point.rawValue), .text(place.description)] }
}

/// A device that measured at a place once, or does; what it was told to be later takes nothing back. The key is
/// `<place>|<device>`.
struct BoundRow: TableRow {
    static let schema = TableSchema("bound", [("point", .text)])

    let key: String
    /// Where at the place, the last time.
    let point: PointID

    init(_ place: Place, _ device: DeviceID, point: PointID) {
        key = "\(place)|\(device)"
        self.point = point
    }

    init(key: String, cells: [Cell]) throws(BadRow) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        point = PointID(try cells.text())
    }

    var cells: [Cell] { [.text(point.rawValue)] }

    var place: Place? { Place(String(key.prefix { $0 != "|" })) }
    var device: String { String(key.drop { $0 != "|" }.dropFirst()) }
}

/// What a device that measures somewhere told of one hour, and over which slots: a report is counted once. The key is
/// `<hours since 1970, 8 digits>|<device>`.
///
/// Whether a report counts depends on what was told of the hours around it and on nothing else: so of a time whose
/// reports all stay the same ones count when others are let go.
struct HeardRow: TableRow {
    static let schema = TableSchema("heard", [("memory", .text)], version: 2)

    let key: String
    var memory = RepeatMemory()

    init(_ hour: Int64, _ device: DeviceID) {
        key = Self.key(hour, device)
    }

    init(key: String, cells: [Cell]) throws(BadRow) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        memory = try cells.text { RepeatMemory(text: $0) }
    }

    var cells: [Cell] { [.text(memory.text)] }

    var hour: Int64 { Int64(key.prefix(8)) ?? 0 }

    static func key(_ hour: Int64, _ device: DeviceID) -> String { "\(hour.hourDigits)|\(device)" }
}
