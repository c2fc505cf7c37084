import EventSourcing
import Vocabulary

/// A product that was listed or ordered.
struct RecommenderProductRow: TableRow {
    static let schema = TableSchema(
        "product",
        [
            ("number", .integer), ("title", .text), ("unit", .text), ("listed", .integer), ("withdrawn", .integer),
            ("farm", .text), ("category", .text),
        ], version: 2)

    let key: String
    /// The product's number, counted from 0 in the order in which products first occur in an event.
    let number: Int
    /// Nil before the product is listed, for example if only an imported order names it.
    var title: String?
    var unit: String?
    var listed: Instant?
    var isWithdrawn = false
    var farm: FarmID?
    var category: String?

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
        farm = try cells.optionalText().map { FarmID($0) }
        category = try cells.optionalText()
    }

    var cells: [Cell] {
        [
            .integer(Int64(number)), Cell(title), Cell(unit), Cell(listed?.microseconds), Cell(isWithdrawn),
            Cell(farm?.rawValue), Cell(category),
        ]
    }
    var product: ProductID { ProductID(key) }
    /// Whether the product is listed now.
    var isListed: Bool { title != nil && !isWithdrawn }
}

/// A counter. The key names what it counts.
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
