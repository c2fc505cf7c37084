import EventSourcing
import Events
import JSON
import Vocabulary

/// The picks of a person's latest day. The key is the person.
struct PicksRow: TableRow {
    static let schema = TableSchema("picks", [("day", .text), ("products", .text)])

    let key: String
    /// The calendar day of the farm: `2026-05-03`.
    let day: String
    let products: [ProductID]

    init(_ event: PicksChosen) {
        key = event.person.rawValue
        day = event.day
        products = event.products
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        day = try cells.text()
        products = try cells.text().split(separator: "\n").map { ProductID(String($0)) }
    }

    var cells: [Cell] {
        [.text(day), .text(products.map(\.rawValue).joined(separator: "\n"))]
    }
}
