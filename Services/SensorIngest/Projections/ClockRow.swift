import EventSourcing
import Vocabulary

/// The last clock mark of a slot. The key is the origin.
struct ClockRow: TableRow {
    static let schema = TableSchema(
        "clock",
        [
            ("wall", .integer), ("boot", .text), ("uptime", .integer), ("trusted", .integer), ("frozen", .real),
        ])

    let key: String
    let mark: ClockTrusted

    init(_ mark: ClockTrusted, of origin: Origin) {
        key = origin.description
        self.mark = mark
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var reader = try CellReader(Self.schema, key, cells)
        self.key = key
        mark = ClockTrusted(
            wall: Instant(microseconds: try reader.integer()), boot: try reader.text(), uptime: try reader.integer(),
            trusted: Instant(microseconds: try reader.integer()), frozen: try reader.real())
    }

    var cells: [Cell] {
        [
            .integer(mark.wall.microseconds), .text(mark.boot), .integer(mark.uptime),
            .integer(mark.trusted.microseconds), .real(mark.frozen),
        ]
    }
}
