import EventSourcing
import Events
import JSON
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
        do {
            published = try StorageLimitsChanged(json: JSONValue.parse(try cells.text()))
        } catch {
            throw RowDecodingError(table: Self.schema.name, key: key)
        }
    }

    var key: String { Place.store(published.store).description }

    var cells: [Cell] {
        var json = JSONWriter()
        json.object(published.write(fields:))
        return [.text(published.title), .text(json.text)]
    }
}
