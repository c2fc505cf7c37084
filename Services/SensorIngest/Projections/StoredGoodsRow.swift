import EventSourcing
import Events
import Vocabulary

/// The goods in a store and their limits, as the ledger published them. The key is the place; the title is there for
/// people who read the table.
struct StoredGoodsRow: TableRow {
    static let schema = TableSchema("stored_goods", [("title", .text), ("published", .text)])

    let published: StorageLimitsChanged

    init(_ published: StorageLimitsChanged) {
        self.published = published
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        _ = try cells.text()
        published = try cells.event()
    }

    var key: String { Place.store(published.store).description }

    var cells: [Cell] { [.text(published.title), Cell(event: published)] }
}
