import EventSourcing
import Events
import Vocabulary

/// The products and offers of the shop in memory, read from the tables once and then updated event by event.
///
/// Stock is read from the tables, because one cart or order changes the stock of several lots.
struct CatalogSnapshot: Sendable {
    private(set) var products: [ProductID: RecommenderProductRow] = [:]
    /// The names of the products, by number.
    private(set) var names: [ProductID] = []
    private var offers: [ProductID: [OfferID: RecommenderOfferRow]] = [:]

    init() {}

    /// Reads all products and offers from the tables.
    init(_ tables: some Tables) {
        Self.each(RecommenderProductRow.self, tables) { note($0) }
        Self.each(RecommenderOfferRow.self, tables) { offers[$0.product, default: [:]][$0.offer] = $0 }
    }

    /// Returns whether at least one unit of the product can be ordered.
    private func isInStock(
        _ product: ProductID, at now: Instant, holding streams: Set<String>, seeing tables: some Tables
    ) -> Bool {
        guard let row = products[product], row.isListed, let offers = offers[product] else {
            return false
        }
        return offers.values.contains { offer in
            !offer.isWithdrawn && (offer.until.map { now < $0 } ?? true)
                && (tables.get(RecommenderLotRow.self, offer.lot.rawValue).map { lot in
                    lot.free >= max(offer.takes, 1) && !lot.waits(for: streams)
                } ?? false)
        }
    }

    /// Returns the products of which at least one unit can be ordered, in byte order of their names.
    ///
    /// - Parameter streams: the streams with parked events.
    func inStock(at now: Instant, holding streams: Set<String>, seeing tables: some Tables) -> [RecommenderProductRow] {
        products.values.filter { isInStock($0.product, at: now, holding: streams, seeing: tables) }
            .sorted { $0.product < $1.product }
    }

    func title(of product: ProductID) -> String { products[product]?.title ?? product.rawValue }

    // MARK: Updates

    /// Reads the rows that an event has changed from the tables, to which it is already applied.
    mutating func refresh(after fact: CatalogEvent, from tables: some Tables) {
        switch fact {
        case .productListed(let event): reread(event.product, tables)
        case .productChanged(let event): reread(event.product, tables)
        case .productWithdrawn(let event): reread(event.product, tables)
        case .offerPublished(let event):
            reread(event.product, tables)
            offers[event.product, default: [:]][event.offer] = tables.get(
                RecommenderOfferRow.self, event.offer.rawValue)
        case .offerWithdrawn(let event):
            guard let row = tables.get(RecommenderOfferRow.self, event.offer.rawValue) else { return }
            offers[row.product, default: [:]][row.offer] = row
        case .stockSet, .stockAdjusted, .lotBlocked, .farmProfiled, .offerRepriced, .pickupOpened, .pickupClosed,
            .favouriteSet, .favouriteUnset, .promotionPublished,
            .promotionEnded, .promotionShown:
            break
        }
    }

    /// Reads the products of these lines that are not known yet.
    mutating func refresh(_ lines: [PurchaseLine], from tables: some Tables) {
        for line in lines where products[line.product] == nil { reread(line.product, tables) }
    }

    private mutating func reread(_ product: ProductID, _ tables: some Tables) {
        if let row = tables.get(RecommenderProductRow.self, product.rawValue) { note(row) }
    }

    private mutating func note(_ row: RecommenderProductRow) {
        products[row.product] = row
        // Rows are not read in the order of their numbers.
        while names.count <= row.number { names.append(ProductID("")) }
        names[row.number] = row.product
    }

    /// Calls `body` with every row of a table, and reads one page at a time.
    static func each<Row: TableRow>(_ type: Row.Type, _ tables: some Tables, _ body: (Row) -> Void) {
        var after: String?
        while true {
            let rows = tables.scan(type, prefix: "", after: after, limit: RecommenderLimits.pageRows)
            for row in rows { body(row) }
            guard rows.count == RecommenderLimits.pageRows, let last = rows.last else { return }
            after = last.key
        }
    }
}
