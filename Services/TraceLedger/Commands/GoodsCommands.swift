import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// Commands on kinds of goods.
extension LedgerCommands {
    /// Handles `set-goods`. Throws a 409 if a product belongs to another kind of the same stage, and a 422 for limits
    /// that contradict themselves.
    func setGoods(_ command: SetGoods) throws(Problem) -> Outcome {
        let goods = command.goods
        guard goods.utf8.count <= LedgerLimits.goodsNameBytes else {
            throw Problem(422, "too-long", "goods: use \(LedgerLimits.goodsNameBytes) characters at most.")
        }
        let kinds = tables.all(GoodsRow.self, prefix: "").map(\.setting)
        guard kinds.count < LedgerLimits.goods || kinds.contains(where: { $0.goods == goods }) else {
            throw Problem(409, "too-many", "There are \(LedgerLimits.goods) kinds of goods already.")
        }
        try check(command.products, kinds.filter { $0.goods != goods && $0.stage == command.stage })
        try check(command.limits)
        let event = GoodsLimitsSet(
            goods: goods, title: command.title, products: command.products, limits: command.limits,
            source: command.source, stage: command.stage)
        return ([draft(event, "goods/\(goods)", farm: nil)], .made { $0.field("goods", goods) })
    }

    /// - Parameter others: The other kinds of the same stage.
    private func check(_ products: [String], _ others: [GoodsLimitsSet]) throws(Problem) {
        var seen: Set<String> = []
        for product in products {
            guard RequestBody.isText(product, breaks: false), product.count <= LedgerLimits.textBytes else {
                throw Problem(
                    400, "malformed", "products: expected names of 1 to \(LedgerLimits.textBytes) characters.")
            }
            let name = StorageLimits.comparable(product)
            guard seen.insert(name).inserted else {
                throw Problem(422, "named-twice", "products: \(product) is named twice.")
            }
            let owner = others.first { $0.products.contains { StorageLimits.comparable($0) == name } }
            if let owner {
                throw Problem(409, "product-taken", "\(product) belongs to \(owner.title) already; remove it there.")
            }
        }
    }

    private func check(_ limits: [GoodsLimit]) throws(Problem) {
        var seen: Set<Quantity> = []
        for limit in limits {
            let name = limit.quantity.rawValue
            guard LedgerLimits.goodsQuantities.contains(limit.quantity) else {
                throw Problem(422, "wrong-quantity", "limits: \(name) cannot be set; use temperature or humidity.")
            }
            guard seen.insert(limit.quantity).inserted else {
                throw Problem(422, "named-twice", "limits: \(name) is named twice.")
            }
            guard limit.above != nil || limit.below != nil else {
                throw Problem(422, "no-limit", "limits: \(name) needs above, below or both.")
            }
            if let above = limit.above, let below = limit.below, below >= above {
                throw Problem(422, "always-on", "limits: below must be less than above for \(name).")
            }
        }
    }
}
