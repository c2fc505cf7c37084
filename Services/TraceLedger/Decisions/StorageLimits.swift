import Events
import Vocabulary

/// Decides which limits apply to a store, from the goods that are stored there.
enum StorageLimits {
    /// A lot in a store.
    struct StoredLot {
        let lot: LotID
        let product: String
        /// What of the lot lies there: a lot that is partly in boxes is in both stages.
        var stages: Set<LotStage> = [.harvested]
    }

    /// What a kind of goods is for.
    private struct Subject: Hashable {
        let product: String
        let stage: LotStage?
    }

    /// Returns the limits of a store and the conflicts between them.
    ///
    /// - Parameter kinds: All kinds of goods. A product belongs to one kind of each stage at most, or to one without a
    ///   stage; without a kind it has no limits.
    static func limits(
        of store: StoreID, title: String, with lots: [StoredLot], by kinds: [GoodsLimitsSet]
    ) -> StorageLimitsChanged {
        var owners: [Subject: String] = [:]
        for kind in kinds {
            for product in kind.products {
                owners[Subject(product: comparable(product), stage: kind.stage)] = kind.goods
            }
        }
        var groups: [String: [StoredLot]] = [:]
        for lot in lots {
            let product = comparable(lot.product)
            let kinds = lot.stages.compactMap {
                owners[Subject(product: product, stage: $0)] ?? owners[Subject(product: product, stage: nil)]
            }
            for kind in Set(kinds) { groups[kind, default: []].append(lot) }
        }
        let goods = kinds.sorted { $0.goods < $1.goods }.compactMap { kind -> StoredGoods? in
            guard let lots = groups[kind.goods], !kind.limits.isEmpty else { return nil }
            let sorted = lots.map(\.lot).sorted { $0.rawValue < $1.rawValue }
            return StoredGoods(
                goods: kind.goods, title: kind.title, limits: kind.limits,
                lots: Array(sorted.prefix(LedgerLimits.namedLots)),
                others: max(0, sorted.count - LedgerLimits.namedLots))
        }.prefix(LedgerLimits.goodsOfStore)
        return StorageLimitsChanged(
            store: store, title: title, goods: Array(goods), conflicts: conflicts(between: Array(goods)))
    }

    /// The text by which products are compared: case and surrounding blanks do not matter.
    static func comparable(_ product: String) -> String {
        String(product.lowercased().drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// Returns the quantities of which no value is within the limits of all goods.
    private static func conflicts(between goods: [StoredGoods]) -> [GoodsConflict] {
        LedgerLimits.goodsQuantities.compactMap { quantity in
            let limits = goods.flatMap { kind in
                kind.limits.filter { $0.quantity == quantity }.map { (goods: kind.goods, limit: $0) }
            }
            guard let needed = limits.compactMap(\.limit.below).max(),
                let tolerated = limits.compactMap(\.limit.above).min(), needed > tolerated
            else { return nil }
            return GoodsConflict(
                quantity: quantity, needed: needed, tolerated: tolerated,
                needing: limits.filter { $0.limit.below.map { $0 > tolerated } ?? false }.map(\.goods),
                tolerating: limits.filter { $0.limit.above.map { $0 < needed } ?? false }.map(\.goods))
        }
    }
}
