import EventSourcing
import Events
import Vocabulary

/// The boxes of the lots at a place, as the items of an inventory.
///
/// Such an inventory is not maintained by people: lots that are stored there bring their boxes, and those that leave
/// take them away.
struct StoredBoxes {
    private let inventory: InventoryID
    private let place: Place
    private let tables: any Tables

    /// Nil if the inventory does not consist of boxes.
    init?(of inventory: InventoryID, in tables: any Tables) {
        guard let row = tables.get(InventoryRow.self, inventory.rawValue), row.isOfBoxes, let place = row.place else {
            return nil
        }
        self.inventory = inventory
        self.place = place
        self.tables = tables
    }

    private var lots: [LotRow] {
        tables.find(LotRow.self, where: "place", is: place.description, limit: .max)
    }

    /// The number of boxes that are there.
    var count: Int { lots.reduce(0) { $0 + $1.state.boxes } }

    /// The boxes that are there.
    var items: [ItemRow] { lots.flatMap { boxes(of: $0) } }

    /// The boxes that are there, and those that have left since a stocktake began.
    func counted(in stocktake: StocktakeRow) -> [ItemRow] {
        let departures = tables.all(LotDepartureRow.self, prefix: "\(stocktake.key)|")
        return items
            + departures.flatMap { departure in
                guard let lot = tables.get(LotRow.self, departure.lot.rawValue), lot.state.place != place else {
                    return [ItemRow]()
                }
                return boxes(of: lot, removed: departure.at)
            }
    }

    private func boxes(of lot: LotRow, removed: Instant? = nil) -> [ItemRow] {
        let steps = tables.scan(CustodyRow.self, prefix: "\(lot.key)|", limit: .max)
        let arrival = steps.last { $0.step == .stored || $0.step == .packed }?.at
        return tables.scan(BoxRow.self, prefix: "\(lot.key)|", limit: .max).map { box in
            let title = "\(lot.state.harvest?.product ?? ""), lot \(lot.key), box \(box.number)"
            var item = ItemRow(
                ItemSet(
                    item: ItemID("\(lot.key)/\(box.serial)"), inventory: inventory, title: title, place: place,
                    code: box.serial),
                at: arrival ?? Instant(microseconds: 0))
            item.removed = removed
            return item
        }
    }
}

/// A lot that left the place of an open stocktake of boxes. The key is `<stocktake>|<lot>`.
struct LotDepartureRow: TableRow {
    static let schema = TableSchema("lot_departure", [("at", .integer)])

    let key: String
    let at: Instant

    init(_ lot: LotID, from stocktake: StocktakeID, at time: Instant) {
        key = "\(stocktake)|\(lot)"
        at = time
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        at = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] { [.integer(at.microseconds)] }

    var lot: LotID { LotID(String(key.drop { $0 != "|" }.dropFirst())) }

    /// Notes that a lot has left a place, if its boxes are being counted there.
    static func note(_ lot: LotID, left place: Place?, at time: Instant, _ tables: some Tables) {
        guard let place else { return }
        for row in tables.find(InventoryRow.self, where: "place", is: place.description, limit: .max) {
            guard row.isOfBoxes, let open = row.open else { continue }
            tables.put(LotDepartureRow(lot, from: open, at: time))
        }
    }
}
