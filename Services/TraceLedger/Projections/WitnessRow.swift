import EventSourcing
import Vocabulary

/// The time of the last witness request to the hub's subscribers. There is one such row.
struct WitnessRow: TableRow {
    static let schema = TableSchema("witness", [("asked", .integer)])
    static let only = "last"

    let key: String
    let asked: Instant

    init(askedAt asked: Instant) {
        key = Self.only
        self.asked = asked
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        asked = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] { [.integer(asked.microseconds)] }
}
