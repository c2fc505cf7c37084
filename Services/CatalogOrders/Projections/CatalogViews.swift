import EventSourcing
import Events
import Vocabulary

/// The projection of catalogue and ledger events into the tables of farms, lots, products, offers, stock and pick-up
/// points.
enum CatalogViews {
    static func apply(_ fact: CatalogEvent, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .farmProfiled(let event):
            guard let farm = envelope.farm else { return }
            var row =
                tables.get(MarketFarmRow.self, farm.rawValue) ?? MarketFarmRow(farm, title: event.title, zone: "UTC")
            row.profile = event
            row.isListed = true
            tables.put(row)
        case .productListed(let event):
            guard let farm = envelope.farm else { return }
            tables.put(ProductRow(event.product, farm: farm, details: event.details))
        case .productChanged(let event):
            change(ProductRow.self, event.product.rawValue, tables) { $0.details = event.details }
        case .productWithdrawn(let event):
            change(ProductRow.self, event.product.rawValue, tables) { $0.isWithdrawn = true }
        case .offerPublished(let event):
            guard let farm = envelope.farm else { return }
            let row = OfferRow(event, farm: farm)
            tables.put(row)
            tables.put(OnSaleRow(row))
        case .offerRepriced(let event):
            change(OfferRow.self, event.offer.rawValue, tables) { $0.price = event.price }
        case .offerWithdrawn(let event):
            change(OfferRow.self, event.offer.rawValue, tables) { row in
                row.isWithdrawn = true
                tables.remove(OnSaleRow.self, OnSaleRow.key(row))
            }
        case .stockSet(let event): move(event.lot, .counted(event.boxes), tables)
        case .stockAdjusted(let event): move(event.lot, .adjusted(event.by), tables)
        case .lotBlocked(let event):
            move(event.lot, .blocked(event.reason), tables)
            close(event.lot, tables)
        case .stockLevelChanged(let event): StockLevels.note(event, tables)
        case .pickupOpened(let event): tables.put(PickupRow(event, farm: envelope.farm))
        case .pickupClosed(let event):
            change(PickupRow.self, event.pickup.rawValue, tables) { $0.isClosed = true }
        case .favouriteSet(let event):
            tables.put(FavouriteRow(event.person, event.favourite, since: envelope.time))
        case .favouriteUnset(let event):
            tables.remove(FavouriteRow.self, FavouriteRow.key(event.person, event.favourite))
        case .promotionPublished(let event): PromotionViews.publish(event, envelope, tables)
        case .promotionEnded(let event): PromotionViews.end(event, tables)
        case .promotionShown(let event): PromotionViews.show(event, envelope, tables)
        }
    }

    /// Applies an event of the ledger to the tables of farms and lots.
    static func apply(_ fact: TraceEvent, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .farmFounded(let event):
            guard let farm = envelope.farm else { return }
            var row =
                tables.get(MarketFarmRow.self, farm.rawValue)
                ?? MarketFarmRow(farm, title: event.title, zone: event.zone)
            row.zone = event.zone
            tables.put(row)
        case .harvested(let event):
            guard let farm = envelope.farm else { return }
            tables.put(MarketLotRow(event.lot, farm: farm, product: event.product, harvested: envelope.time))
        case .lotSplit(let event):
            guard let parent = tables.get(MarketLotRow.self, event.lot.rawValue) else { return }
            var part = MarketLotRow(event.into, splitOff: parent)
            part.holds = parent.holds
            tables.put(part)
        case .packed(let event):
            change(MarketLotRow.self, event.lot.rawValue, tables) { $0.packed += event.serials.count }
        case .lotRecalled(let event):
            for lot in [event.lot] + event.includes {
                change(MarketLotRow.self, lot.rawValue, tables) { $0.recalled = event.reason }
                StockLevels.compare(lot, tables)
            }
        case .lotHeld, .lotReleased, .lotHoldLifted:
            guard let hold = fact.holdChange else { return }
            for lot in hold.lots {
                change(MarketLotRow.self, lot.rawValue, tables) { $0.holds.apply(hold) }
                StockLevels.compare(lot, tables)
            }
        case .handedOver(let event):
            change(MarketLotRow.self, event.lot.rawValue, tables) { $0.isGone = true }
            StockLevels.compare(event.lot, tables)
            close(event.lot, tables)
        case .plotLaidOut, .storeOpened, .activityRecorded, .activityCorrected, .harvestCorrected, .stored,
            .labelKeyAdded, .labelKeyRevoked, .labelsPrinted, .passportIssued, .goodsLimitsSet, .storageLimitsChanged,
            .photographTaken, .photographChosen, .photographRemoved:
            break
        }
    }

    /// Removes all offers of the lot from the offers on sale.
    private static func close(_ lot: LotID, _ tables: some Tables) {
        for row in tables.find(OfferRow.self, where: "lot", is: lot.rawValue, limit: .max) {
            tables.remove(OnSaleRow.self, OnSaleRow.key(row))
        }
    }

    static func move(_ lot: LotID, _ movement: Stock.Movement, _ tables: some Tables) {
        var row = tables.get(StockRow.self, lot.rawValue) ?? StockRow(lot)
        Stock.evolve(&row.state, with: movement)
        tables.put(row)
        StockLevels.compare(lot, tables)
    }

    static func change<Row: TableRow>(
        _ type: Row.Type, _ key: String, _ tables: some Tables, _ body: (inout Row) -> Void
    ) {
        guard var row = tables.get(type, key) else { return }
        body(&row)
        tables.put(row)
    }
}
