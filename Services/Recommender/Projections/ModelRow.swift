import EventSourcing
import Events
import Vocabulary

/// The `ModelSolved` event recorded last and its time. The key is the name of the model.
struct ModelRow: TableRow {
    static let schema = TableSchema(
        "model",
        [
            ("told", .integer), ("position", .integer), ("products", .integer), ("shoppers", .integer),
            ("baskets", .integer), ("digest", .text),
        ])
    static let nextBasket = "next-basket"

    let key: String
    let told: Instant
    let event: ModelSolved

    init(_ event: ModelSolved, told: Instant) {
        key = Self.nextBasket
        self.told = told
        self.event = event
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        told = Instant(microseconds: try cells.integer())
        event = ModelSolved(
            position: Position(clamping: try cells.integer()), products: try cells.int(),
            shoppers: try cells.int(), baskets: try cells.int(), digest: try cells.text())
    }

    var cells: [Cell] {
        [
            .integer(told.microseconds), .integer(Int64(clamping: event.position)), .integer(Int64(event.products)),
            .integer(Int64(event.shoppers)), .integer(Int64(event.baskets)), .text(event.digest),
        ]
    }
}
