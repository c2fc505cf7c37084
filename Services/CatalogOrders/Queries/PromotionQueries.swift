import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// The staff's queries about promotions.
extension MarketQueries {
    /// What a promotion is doing now.
    enum PromotionState: String {
        case planned, running, ended
        /// What it is about is not for sale: sold out, held or recalled.
        case stopped
    }

    func promotions() -> Response {
        let rows = tables.scan(PromotionRow.self, limit: .max).sorted {
            ($0.published, $0.key) > ($1.published, $1.key)
        }
        return list(Array(rows.prefix(MarketLimits.pageItems)), next: nil) {
            (row: PromotionRow, json: inout JSONWriter) in
            json.field("promotion", row.key)
            json.field("farm", row.farm)
            json.field("rule", row.rule)
            json.field("state", state(of: row).rawValue)
            json.field("ended", ifPresent: row.ended)
            json.field("shown", row.people.shown)
            json.field("heldBack", row.people.heldBack)
            json.field("shownBought", row.people.shownBought)
            json.field("heldBackBought", row.people.heldBackBought)
            guard let effect = PromotionEffect(row.people) else { return }
            json.field(
                "effect",
                object: { json in
                    json.field("difference", effect.difference)
                    json.field("low", effect.low)
                    json.field("high", effect.high)
                })
        }
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
    func promotionReach(_ body: RequestBody) throws(Problem) -> Response {
        let audience = try body.optionalText("audience") ?? PromotionAudience.everyone.rawValue
        let product = try body.optionalText("product")
        var people: Set<String> = []
        if audience == PromotionAudience.favourites.rawValue {
            let farm = product.flatMap { tables.get(ProductRow.self, $0)?.farm.rawValue }
            let wanted = Set([product.map { "product/\($0)" }, farm.map { "farm/\($0)" }].compactMap(\.self))
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
        return .made { json in
            json.field("people", people.count - erased)
            json.field("isAtMost", audience == PromotionAudience.interested.rawValue)
        }
    }
}
