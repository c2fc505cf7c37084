import EventSourcing
import Events
import JSON
import Vocabulary

/// The product, lot and boxes of one line of a cart or order.
struct PurchaseLine: Equatable, Sendable {
    let product: ProductID
    /// The lot whose boxes it takes, or nil for an imported order.
    let lot: LotID?
    let boxes: Int

    init(_ product: ProductID, lot: LotID?, boxes: Int) {
        self.product = product
        self.lot = lot
        self.boxes = boxes
    }

    init(_ line: OrderLine) {
        self.init(line.product, lot: line.lot, boxes: line.boxes)
    }

    private init(json: borrowing JSONValue) throws(JSONError) {
        product = try json.get("p")
        lot = try json.find("l")
        boxes = try json.find("b") ?? 0
    }

    /// Returns the lines as JSON text for one cell.
    static func write(_ lines: [PurchaseLine]) -> String {
        var json = JSONWriter()
        json.array { json in
            for line in lines {
                json.object { json in
                    json.field("p", line.product)
                    json.field("l", ifPresent: line.lot)
                    json.field("b", ifPresent: line.boxes == 0 ? nil : line.boxes)
                }
            }
        }
        return json.text
    }

    static func read(_ text: String) -> [PurchaseLine]? {
        do throws(JSONError) {
            guard let array = try JSONValue.parse(Array(text.utf8)).array else { return nil }
            var lines: [PurchaseLine] = []
            for line in array { lines.append(try PurchaseLine(json: line)) }
            return lines
        } catch {
            return nil
        }
    }
}

/// A placed or imported order. The key is the order.
struct PurchaseRow: TableRow {
    static let schema = TableSchema(
        "purchase",
        [("buyer", .text), ("placed", .integer), ("state", .text), ("lines", .text), ("pickup", .text)],
        indexed: ["buyer"], version: 2)

    enum State: String, Sendable { case placed, collected, cancelled }

    let key: String
    /// The buyer, or nil after the buyer's erasure. The order's boxes remain reserved; its basket no longer counts.
    var buyer: PersonID?
    let placed: Instant
    var state = State.placed
    var lines: [PurchaseLine]
    /// The pickup place, or nil for an imported order.
    var pickup: PickupID?

    init(
        _ order: OrderID, by buyer: PersonID?, at placed: Instant, _ lines: [PurchaseLine], pickup: PickupID? = nil
    ) {
        key = order.rawValue
        self.buyer = buyer
        self.placed = placed
        self.lines = lines
        self.pickup = pickup
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        buyer = try cells.optionalText().map { PersonID($0) }
        placed = Instant(microseconds: try cells.integer())
        state = try cells.text(State.init(rawValue:))
        lines = try cells.text(PurchaseLine.read)
        pickup = try cells.optionalText().map { PickupID($0) }
    }

    var cells: [Cell] {
        [
            Cell(buyer?.rawValue), .integer(placed.microseconds), .text(state.rawValue),
            .text(PurchaseLine.write(lines)), Cell(pickup?.rawValue),
        ]
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
