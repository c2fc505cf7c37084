import EventSourcing
import Events
import Vocabulary

/// The limits of an alarm rule, which the history of its place is compared with. The key is the rule.
struct LimitRow: TableRow {
    static let schema = TableSchema(
        "place_limit", [("place", .text), ("quantity", .text), ("above", .real), ("below", .real)], indexed: ["place"])

    let key: String
    let place: Place
    let quantity: Quantity
    let above: Double?
    let below: Double?

    init(_ rule: RuleID, _ place: Place, _ quantity: Quantity, above: Double?, below: Double?) {
        key = rule.rawValue
        self.place = place
        self.quantity = quantity
        self.above = above
        self.below = below
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        place = try cells.text(Place.init)
        quantity = try cells.text(Quantity.init(rawValue:))
        above = try cells.optionalReal()
        below = try cells.optionalReal()
    }

    /// Creates the row of a limit of goods, which applies to each store that contains them.
    init(_ place: Place, _ goods: StoredGoods, _ limit: GoodsLimit) {
        key = "\(RuleID.goods(goods.goods, limit.quantity))|\(place)"
        self.place = place
        quantity = limit.quantity
        above = limit.above
        below = limit.below
    }

    var cells: [Cell] { [.text(place.description), .text(quantity.rawValue), Cell(above), Cell(below)] }
}
