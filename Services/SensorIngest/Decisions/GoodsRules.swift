import EventSourcing
import Events
import Vocabulary

/// The alarm rules of a store that protect the goods in it.
///
/// They are in force while such goods are stored there. People set them for a kind of goods, not for the place.
enum GoodsRules {
    static func rules(_ event: StorageLimitsChanged) -> [RuleSet] {
        event.goods.flatMap { goods in
            goods.limits.map { limit in
                var rule = RuleSet(
                    rule: .goods(goods.goods, limit.quantity), place: .store(event.store), quantity: limit.quantity,
                    above: limit.above, below: limit.below,
                    hysteresis: limit.quantity.usualHysteresis(limit.above ?? limit.below ?? 0), enabled: true)
                rule.hysteresis = min(rule.hysteresis, rule.widestHysteresis)
                return rule
            }
        }
    }

    /// Returns the goods that a rule protects; nil for a rule of the place itself.
    static func goods(of rule: RuleID, at place: Place, in tables: any Tables) -> StoredGoods? {
        guard rule.isOfGoods else { return nil }
        return tables.get(StoredGoodsRow.self, place.description)?.published.goods.first { goods in
            goods.limits.contains { rule.goods($0.quantity) == goods.goods }
        }
    }

    /// Replaces a store's rules by those of the goods that are stored there now.
    static func apply(_ event: StorageLimitsChanged, to tables: some Tables) {
        let place = Place.store(event.store)
        let former = tables.get(StoredGoodsRow.self, place.description).map { Self.rules($0.published) } ?? []
        let names = Set(former.map(\.rule))
        var row = tables.get(ScopeRulesRow.self, place.description) ?? ScopeRulesRow(.place(place))
        row.rules.removeAll { names.contains($0.rule) }
        row.rules += rules(event)
        tables.put(row)
        tables.put(StoredGoodsRow(event))
    }
}
