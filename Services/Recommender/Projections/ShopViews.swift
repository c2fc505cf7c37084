import EventSourcing
import Events
import Vocabulary

/// The projection of catalogue events into products, offers and stock.
enum ShopViews {
    static func apply(_ fact: CatalogEvent, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .productListed(let event):
            describe(event.product, event.details, of: envelope.farm, listed: envelope.time, tables)
        case .productChanged(let event):
            describe(event.product, event.details, of: envelope.farm, listed: nil, tables)
        case .productWithdrawn(let event): withdraw(event.product, tables)
        case .offerPublished(let event):
            _ = product(event.product, tables)
            tables.put(RecommenderOfferRow(event))
        case .offerWithdrawn(let event):
            guard var row = tables.get(RecommenderOfferRow.self, event.offer.rawValue) else { return }
            row.isWithdrawn = true
            tables.put(row)
        case .stockLevelChanged(let event): change(event.lot, tables) { $0.unreserved = event.free }
        case .lotBlocked(let event): change(event.lot, tables) { $0.isBlocked = true }
        case .favouriteSet(let event): FavouritesRow.change(event.person, tables) { $0.add(event.favourite) }
        case .favouriteUnset(let event): FavouritesRow.change(event.person, tables) { $0.remove(event.favourite) }
        case .stockSet, .stockAdjusted, .farmProfiled, .offerRepriced, .pickupOpened, .pickupClosed,
            .promotionPublished, .promotionEnded,
            .promotionShown:
            break
        }
    }

    private static func describe(
        _ id: ProductID, _ details: ProductDetails, of farm: FarmID?, listed: Instant?, _ tables: some Tables
    ) {
        var row = product(id, tables)
        row.title = details.title
        row.unit = details.unit
        row.category = details.category
        row.farm = farm ?? row.farm
        if let listed {
            row.listed = listed
            row.isWithdrawn = false
        }
        tables.put(row)
    }

    /// Withdraws a product and all its offers.
    private static func withdraw(_ product: ProductID, _ tables: some Tables) {
        guard var row = tables.get(RecommenderProductRow.self, product.rawValue) else { return }
        row.isWithdrawn = true
        tables.put(row)
        for var offer in tables.find(
            RecommenderOfferRow.self, where: "product", is: product.rawValue, limit: RecommenderLimits.rows)
        where !offer.isWithdrawn {
            offer.isWithdrawn = true
            tables.put(offer)
        }
    }

    /// Returns the row of a product. A new product gets a row with the next number.
    static func product(_ product: ProductID, _ tables: some Tables) -> RecommenderProductRow {
        if let row = tables.get(RecommenderProductRow.self, product.rawValue) { return row }
        var tally = tables.get(TallyRow.self, "products") ?? TallyRow("products")
        let row = RecommenderProductRow(product, number: tally.count)
        tally.count += 1
        tables.put(tally)
        tables.put(row)
        return row
    }

    static func change(_ lot: LotID, _ tables: some Tables, _ change: (inout RecommenderLotRow) -> Void) {
        var row = tables.get(RecommenderLotRow.self, lot.rawValue) ?? RecommenderLotRow(lot)
        change(&row)
        tables.put(row)
    }
}
