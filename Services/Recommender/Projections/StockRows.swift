import EventSourcing
import Events
import Vocabulary

/// An offer: a product from one lot that can be bought. The key is the offer.
struct RecommenderOfferRow: TableRow {
    static let schema = TableSchema(
        "offer",
        [("product", .text), ("lot", .text), ("takes", .integer), ("until", .integer), ("withdrawn", .integer)],
        indexed: ["product"])

    let key: String
    let product: ProductID
    let lot: LotID
    /// The boxes of the lot that one unit takes.
    let takes: Int
    let until: Instant?
    var isWithdrawn = false

    init(_ event: OfferPublished) {
        key = event.offer.rawValue
        product = event.product
        lot = event.lot
        takes = event.takes
        until = event.until
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        product = ProductID(try cells.text())
        lot = LotID(try cells.text())
        takes = try cells.int()
        until = try cells.optionalInteger().map { Instant(microseconds: $0) }
        isWithdrawn = try cells.flag()
    }

    var cells: [Cell] {
        [
            .text(product.rawValue), .text(lot.rawValue), .integer(Int64(takes)), Cell(until?.microseconds),
            Cell(isWithdrawn),
        ]
    }
    var offer: OfferID { OfferID(key) }
}

/// The stock of a lot. The key is the lot.
struct RecommenderLotRow: TableRow {
    static let schema = TableSchema(
        "lot",
        [
            ("unreserved", .integer), ("blocked", .integer), ("ancestors", .text), ("holds", .text),
            ("harvested", .integer),
        ], version: 5)

    let key: String
    /// The boxes that can be ordered, as the market published them.
    var unreserved = 0
    /// Whether it was recalled or has left the farm.
    var isBlocked = false
    /// The lot that this one was split off, then that lot's own ancestors.
    var ancestors: [LotID] = []
    /// The open holds. While there are any, the lot is not sold.
    var holds = OpenHolds()
    /// Nil while the harvest is not known.
    var harvested: Instant?

    init(_ lot: LotID) {
        key = lot.rawValue
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        unreserved = try cells.int()
        isBlocked = try cells.flag()
        // Lot names contain no spaces.
        ancestors = try cells.text().split(separator: " ").map { LotID(String($0)) }
        holds = OpenHolds(text: try cells.text())
        harvested = try cells.optionalInteger().map { Instant(microseconds: $0) }
    }

    var cells: [Cell] {
        [
            .integer(Int64(unreserved)), Cell(isBlocked), .text(ancestors.map(\.rawValue).joined(separator: " ")),
            .text(holds.text), Cell(harvested?.microseconds),
        ]
    }
    /// The boxes that can be sold. Recalls and holds may arrive before the market has published that there are none.
    var free: Int { isBlocked || holds.isHeld ? 0 : unreserved }

    /// Returns whether one of these streams, which have parked events, belongs to the lot or to one of its ancestors.
    /// Such an event may be a recall of the lot.
    func waits(for streams: Set<String>) -> Bool {
        !streams.isEmpty && (["lot/\(key)"] + ancestors.map { "lot/\($0)" }).contains(where: streams.contains)
    }
}
