import EventSourcing
import Events
import Vocabulary

/// What can be bought, as of one position of the hub: read once from the offers and the stock of their lots.
struct ShopStock {
    let position: Position
    /// The lots that are for sale, by product.
    private var lots: [String: Set<String>] = [:]
    /// The products for sale, by category.
    private var products: [String: Set<String>] = [:]

    init(_ tables: any Tables, at position: Position) {
        self.position = position
        let offers = SyncRecordWriter.key("offers", "")
        var after: String?
        while true {
            let page = tables.scan(SyncRow.self, prefix: offers, after: after, limit: GatewayLimits.offersRead)
            for row in page where !row.isGone { note(row, tables) }
            guard page.count == GatewayLimits.offersRead, let last = page.last else { return }
            after = last.key
        }
    }

    private mutating func note(_ offer: SyncRow, _ tables: any Tables) {
        guard let product = offer.text("product"), let lot = offer.text("lot"),
            let stock = tables.get(SyncLotRow.self, lot), stock.free > 0
        else { return }
        if lots[product] == nil,
            let category = tables.get(SyncRow.self, SyncRecordWriter.key("products", product))?.text("category")
        {
            products[category, default: []].insert(product)
        }
        lots[product, default: []].insert(lot)
    }

    /// Returns whether what a promotion is about can be bought: of its lot if it names one.
    func has(_ rule: PromotionRule) -> Bool {
        guard let product = rule.product else { return rule.category.map { products[$0] != nil } ?? false }
        guard let lots = lots[product.rawValue] else { return false }
        return rule.lot.map { lots.contains($0.rawValue) } ?? true
    }
}
