import EventSourcing
import Events
import Vocabulary

/// The projection of promotions: who saw them, and who ordered since.
enum PromotionViews {
    static func publish(_ event: PromotionPublished, _ envelope: Envelope, _ tables: some Tables) {
        guard let farm = envelope.farm else { return }
        var row = PromotionRow(event, farm: farm, at: envelope.time)
        if let before = tables.get(PromotionRow.self, row.key) {
            row.people = before.people
            tables.remove(ExpiryRow.self, ExpiryRow.key(.promotion(event.promotion), at: before.rule.until))
        }
        tables.put(row)
        tables.put(ExpiryRow(.promotion(event.promotion), at: event.rule.until))
    }

    static func end(_ event: PromotionEnded, _ tables: some Tables) {
        CatalogViews.change(PromotionRow.self, event.promotion.rawValue, tables) { row in
            row.ended = event.why
            tables.remove(ExpiryRow.self, ExpiryRow.key(.promotion(event.promotion), at: row.rule.until))
        }
    }

    static func show(_ event: PromotionShown, _ envelope: Envelope, _ tables: some Tables) {
        let seen = PromotionSeenRow(event, since: envelope.time)
        guard tables.get(PromotionSeenRow.self, seen.key) == nil else { return }
        tables.put(seen)
        CatalogViews.change(PromotionRow.self, event.promotion.rawValue, tables) { row in
            if event.heldBack { row.people.heldBack += 1 } else { row.people.shown += 1 }
        }
    }

    /// Counts a person's first order of what a promotion is about, after they saw it or it was held back from them.
    static func bought(_ lines: [OrderLine], by buyer: PersonID, at time: Instant, _ tables: some Tables) {
        for var seen in tables.scan(PromotionSeenRow.self, prefix: "\(buyer)|", limit: .max) where !seen.hasBought {
            guard let row = tables.get(PromotionRow.self, seen.promotion), time <= row.rule.until,
                lines.contains(where: { row.rule.isAbout($0.product, tables) })
            else { continue }
            seen.hasBought = true
            tables.put(seen)
            CatalogViews.change(PromotionRow.self, row.key, tables) { row in
                if seen.isHeldBack { row.people.heldBackBought += 1 } else { row.people.shownBought += 1 }
            }
        }
    }
}

extension PromotionRule {
    /// Whether it is about a product, or about the product's category.
    func isAbout(_ name: ProductID, _ tables: some Tables) -> Bool {
        if let product { return product == name }
        return tables.get(ProductRow.self, name.rawValue)?.details.category == category
    }
}
