import EventSourcing
import Events
import Host
import Vocabulary

extension OfferRow {
    /// Returns the offer's price and availability at `now`, as a basket needs them.
    func priced(at now: Instant, in tables: any Tables) -> Basket.Priced {
        Basket.Priced(
            product: product, farm: farm, lot: lot, price: price, takes: takes, pickups: pickups,
            closing: closing(at: now, in: tables))
    }

    /// Returns why the offer cannot be bought at `now`, or nil if it can be bought while stock is left.
    func closing(at now: Instant, in tables: any Tables) -> Basket.Closing? {
        // A recall takes effect as soon as it is consumed, before the market has decided its own events from it.
        let row = tables.get(MarketLotRow.self, lot.rawValue)
        let blocked = tables.get(StockRow.self, lot.rawValue)?.state.blocked
        if let reason = row?.recalled ?? blocked { return .recalled(reason) }
        if row?.isGone == true { return .gone }
        if isWithdrawn || tables.get(ProductRow.self, product.rawValue)?.isWithdrawn != false { return .withdrawn }
        if let until, until <= now { return .over }
        if row?.holds.isHeld == true { return .held }
        if tables.isWaiting(lot) { return .waiting }
        return nil
    }
}

extension Tables {
    /// Returns whether an event of the lot, or of a lot that it was split off, is parked.
    ///
    /// A parked event may be a recall, and the recall of a lot includes the lots split off it.
    func isWaiting(_ lot: LotID) -> Bool {
        let ancestors = get(MarketLotRow.self, lot.rawValue)?.ancestors ?? []
        return ([lot] + ancestors).contains { isBlocked("lot/\($0)") }
    }
}
