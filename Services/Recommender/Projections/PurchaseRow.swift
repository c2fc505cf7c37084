import EventSourcing
import Events
import JSON
import Vocabulary

/// A placed or imported order. The key is the order.
struct PurchaseRow: TableRow, Equatable {
    static let schema = TableSchema(
        "purchase",
        [("buyer", .text), ("placed", .integer), ("state", .text), ("products", .text), ("pickup", .text)],
        indexed: ["buyer"], version: 4)

    let key: String
    /// The buyer, or nil after the buyer's erasure. Its basket no longer counts.
    var buyer: PersonID?
    let placed: Instant
    var state = OrderState.placed
    /// The product of each line.
    var products: [ProductID]
    /// The pickup place, or nil for an imported order.
    var pickup: PickupID?

    init(
        _ order: OrderID, by buyer: PersonID?, at placed: Instant, _ products: [ProductID], pickup: PickupID? = nil
    ) {
        key = order.rawValue
        self.buyer = buyer
        self.placed = placed
        self.products = products
        self.pickup = pickup
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        buyer = try cells.optionalText().map { PersonID($0) }
        placed = Instant(microseconds: try cells.integer())
        state = try cells.text(OrderState.init(rawValue:))
        products = try cells.text(Self.read)
        pickup = try cells.optionalText().map { PickupID($0) }
    }

    var cells: [Cell] {
        [
            Cell(buyer?.rawValue), .integer(placed.microseconds), .text(state.rawValue),
            .text(Self.write(products)), Cell(pickup?.rawValue),
        ]
    }

    private static func write(_ products: [ProductID]) -> String {
        var json = JSONWriter()
        json.array { json in for product in products { json.element(product) } }
        return json.text
    }

    private static func read(_ text: String) -> [ProductID]? {
        do throws(JSONError) {
            return try [ProductID](json: JSONValue.parse(Array(text.utf8)))
        } catch {
            return nil
        }
    }
}

/// A person who was erased. Orders of them that arrive later are not attributed to a person.
struct RecommenderErasedRow: TableRow {
    static let schema = TableSchema("erased", [("at", .integer)])

    let key: String
    let at: Instant

    init(_ person: PersonID, at: Instant) {
        key = person.rawValue
        self.at = at
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        at = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] { [.integer(at.microseconds)] }
}
