import EventSourcing
import Vocabulary

/// When the hub's followers were last asked to witness how far it reached. There is one such row.
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
