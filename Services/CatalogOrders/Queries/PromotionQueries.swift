import EventSourcing
import Events
import Vocabulary
import Wire

/// The staff's queries about promotions.
extension MarketQueries {
    func promotions() -> ResponsePage<PromotionResponse> {
        let rows = tables.scan(PromotionRow.self, limit: .max).sorted {
            ($0.published, $0.key) > ($1.published, $1.key)
        }
        return ResponsePage(
            rows.prefix(MarketLimits.pageItems).map { row in
                PromotionResponse(
                    promotion: PromotionID(row.key), farm: row.farm, rule: row.rule, state: state(of: row),
                    ended: row.ended, shown: row.people.shown, heldBack: row.people.heldBack,
                    shownBought: row.people.shownBought, heldBackBought: row.people.heldBackBought,
                    effect: PromotionEffect(row.people).map { effect in
                        PromotionEffectResponse(difference: effect.difference, low: effect.low, high: effect.high)
                    })
            })
    }

    private func state(of row: PromotionRow) -> PromotionState {
        if row.ended != nil || row.rule.until <= now { return .ended }
        if row.rule.from > now { return .planned }
        guard let product = row.rule.product else { return .running }
        let open = tables.offers(of: product.rawValue, onSaleAt: now).filter { offer in
            (row.rule.lot ?? offer.lot) == offer.lot && offer.closing(at: now, in: tables) == nil
                && (tables.get(StockRow.self, offer.lot.rawValue)?.state.free ?? 0) >= offer.takes
        }
        return open.isEmpty ? .stopped : .running
    }

    /// Returns how many people who use the shop a promotion is for. What interests them is known to their devices only.
    func reach(_ query: PromotionReachQuery) throws(Problem) -> PromotionReachResponse {
        let audience = query.audience ?? .everyone
        var people: Set<String> = []
        if audience == .favourites {
            let farm = query.product.flatMap { tables.get(ProductRow.self, $0.rawValue)?.farm }
            let wanted = Set([query.product.map { "product/\($0)" }, farm.map { "farm/\($0)" }].compactMap(\.self))
            for row in tables.scan(FavouriteRow.self, limit: .max) where wanted.contains(row.favourite) {
                people.insert(String(row.key.prefix { $0 != "|" }))
            }
        } else {
            for row in tables.scan(FavouriteRow.self, limit: .max) {
                people.insert(String(row.key.prefix { $0 != "|" }))
            }
            for row in tables.scan(OrderRow.self, limit: .max) {
                if let buyer = row.state.placed?.buyer { people.insert(buyer.rawValue) }
            }
        }
        let erased = people.count { tables.get(ErasedRow.self, $0) != nil }
        return PromotionReachResponse(people: people.count - erased, isAtMost: audience == .interested)
    }
}
