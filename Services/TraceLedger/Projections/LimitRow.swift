import EventSourcing
import Events
import Vocabulary

/// The limits of an alarm rule, which the history of its place is compared with. The key is the rule.
struct LimitRow: TableRow {
    static let schema = TableSchema(
        "place_limit", [("place", .text), ("quantity", .text), ("above", .real), ("below", .real), ("point", .text)],
        indexed: ["place", "point"])

    let key: String
    let place: Place
    let quantity: Quantity
    let above: Double?
    let below: Double?
    /// The measuring point of a rule that is not one of the whole place.
    let point: PointID?

    init(_ rule: RuleSet) {
        key = rule.rule.rawValue
        place = rule.place
        quantity = rule.quantity
        above = rule.enabled ? rule.above : nil
        below = rule.enabled ? rule.below : nil
        point = rule.point
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        place = try cells.text(Place.init)
        quantity = try cells.text(Quantity.init(rawValue:))
        above = try cells.optionalReal()
        below = try cells.optionalReal()
        point = try cells.optionalText().map { PointID($0) }
    }

    /// Creates the row of a limit of goods, which applies to each store that contains them.
    init(_ place: Place, _ goods: StoredGoods, _ limit: GoodsLimit) {
        key = "\(RuleID.goods(goods.goods, limit.quantity))|\(place)"
        self.place = place
        quantity = limit.quantity
        above = limit.above
        below = limit.below
        point = nil
    }

    var isOfGoods: Bool { RuleID(key).isOfGoods }

    var cells: [Cell] {
        [.text(place.description), .text(quantity.rawValue), Cell(above), Cell(below), Cell(point?.rawValue)]
    }
}
