import EventSourcing
import Events
import Host
import Vocabulary

extension OfferRow {
    /// As a basket needs to know it at a time.
    func priced(at now: Instant, in tables: any Tables) -> Basket.Priced {
        Basket.Priced(
            product: product, farm: farm, lot: lot, price: price, takes: takes, pickups: pickups,
            closing: closing(at: now, in: tables))
    }

    /// Why nobody can buy it at a time; nil if somebody can while the stock lasts.
    func closing(at now: Instant, in tables: any Tables) -> Basket.Closing? {
        // The news of a recall counts from the moment it is taken in, before anything is decided from it.
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
    /// Whether something that was heard of a lot could not be used yet: it may be a recall. That of a lot takes along
    /// what was split off it.
    func isWaiting(_ lot: LotID) -> Bool {
        let ancestors = get(MarketLotRow.self, lot.rawValue)?.ancestors ?? []
        return ([lot] + ancestors).contains { isBlocked("lot/\($0)") }
    }
}
