import EventSourcing
import Vocabulary

/// A product that was listed or ordered.
struct RecommenderProductRow: TableRow {
    static let schema = TableSchema(
        "product",
        [("number", .integer), ("title", .text), ("unit", .text), ("listed", .integer), ("withdrawn", .integer)])

    let key: String
    /// Which product it was to be named, from 0.
    let number: Int
    /// Nil before it was listed: somebody ordered it elsewhere.
    var title: String?
    var unit: String?
    var listed: Instant?
    var isWithdrawn = false

    init(_ product: ProductID, number: Int) {
        key = product.rawValue
        self.number = number
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        number = try cells.int()
        title = try cells.optionalText()
        unit = try cells.optionalText()
        listed = try cells.optionalInteger().map { Instant(microseconds: $0) }
        isWithdrawn = try cells.flag()
    }

    var cells: [Cell] {
        [.integer(Int64(number)), Cell(title), Cell(unit), Cell(listed?.microseconds), Cell(isWithdrawn)]
    }
    var product: ProductID { ProductID(key) }
    /// Whether the shop shows it now.
    var isListed: Bool { title != nil && !isWithdrawn }
}

/// How many of something there are so far. The key says of what.
struct TallyRow: TableRow {
    static let schema = TableSchema("tally", [("count", .integer)])

    let key: String
    var count = 0

    init(_ key: String) {
        self.key = key
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        count = try cells.int()
    }

    var cells: [Cell] { [.integer(Int64(count))] }
}
