import EventSourcing
import Events
import Vocabulary

/// An advertisement that was received and not understood, stored for later decoders. The key is `<device>|<hours since
/// 1970, 8 digits>`.
struct KeptAdvertRow: TableRow {
    static let schema = TableSchema(
        "kept_advert",
        [
            ("event", .text), ("at", .integer), ("data", .text), ("source", .text), ("rssi", .integer),
            ("decoders", .integer), ("origin", .text),
        ])

    let key: String
    /// The id of the `AdvertKept` event.
    let event: UUID
    let at: Instant
    let data: String
    let source: String
    let rssi: Int?
    let decoders: Int
    /// The origin of the journal that contains the event.
    let origin: String

    init(_ kept: AdvertKept, _ envelope: Envelope) {
        key = Self.key(kept.device, envelope.time)
        event = envelope.id
        at = envelope.time
        data = kept.data
        source = kept.source
        rssi = kept.rssi
        decoders = kept.decoders
        origin = envelope.origin.description
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        event = try cells.text(UUID.init)
        at = Instant(microseconds: try cells.integer())
        data = try cells.text()
        source = try cells.text()
        rssi = try cells.optionalInteger().map { Int($0) }
        decoders = try cells.int()
        origin = try cells.text()
    }

    var cells: [Cell] {
        [
            .text(event.description), .integer(at.microseconds), .text(data), .text(source), Cell(rssi.map(Int64.init)),
            .integer(Int64(decoders)), .text(origin),
        ]
    }

    var device: DeviceID { DeviceID(String(key.prefix { $0 != "|" })) }

    static func key(_ device: DeviceID, _ time: Instant) -> String {
        let hour = String(time.microseconds / 3_600_000_000)
        return "\(device)|" + String(repeating: "0", count: max(0, 8 - hour.count)) + hour
    }
}

/// A device whose advertisements are received and not understood. The key is the device.
struct UnreadDeviceRow: TableRow {
    static let schema = TableSchema(
        "unread_device",
        [
            ("reason", .text), ("detail", .text), ("last", .integer), ("source", .text), ("rssi", .integer),
            ("data", .text),
        ])

    let key: String
    var reason = ""
    var detail: String?
    var last: Instant
    var source = ""
    var rssi: Int?
    /// The newest advertisement, in hexadecimal.
    var data = ""

    init(_ kept: AdvertKept, at last: Instant) {
        key = kept.device.rawValue
        reason = kept.reason
        detail = kept.detail
        self.last = last
        source = kept.source
        rssi = kept.rssi
        data = kept.data
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        reason = try cells.text()
        detail = try cells.optionalText()
        last = Instant(microseconds: try cells.integer())
        source = try cells.text()
        rssi = try cells.optionalInteger().map { Int($0) }
        data = try cells.text()
    }

    var cells: [Cell] {
        [
            .text(reason), Cell(detail), .integer(last.microseconds), .text(source), Cell(rssi.map(Int64.init)),
            .text(data),
        ]
    }
}
