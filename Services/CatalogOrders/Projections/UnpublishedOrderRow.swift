import EventSourcing
import Events
import Vocabulary

/// An order that changed since its record was published. The key is the order.
struct UnpublishedOrderRow: TableRow {
    static let schema = TableSchema("unpublished_order", [])

    let key: String

    init(_ order: OrderID) { key = order.rawValue }

    init(key: String, cells: [Cell]) throws(RowDecodingError) { self.key = key }

    var cells: [Cell] { [] }
}
