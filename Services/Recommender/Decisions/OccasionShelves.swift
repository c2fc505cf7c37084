import EventSourcing
import Vocabulary

/// Builds the shelves of an occasion: what should be bought soon, what others buy at the shopper's pickup place, and
/// what the shopper looked at.
struct OccasionShelves {
    let builder: ShelfBuilder
    /// The shopper's baskets; nil for a visitor without orders.
    let history: PurchaseHistory?

    var all: [Shelf] { [now, place, viewed] }

    /// The products that should be bought soon: first those that the shopper bought most often, then those in most
    /// recent orders.
    private var now: Shelf {
        let times = history?.timesBought ?? [:]
        let own = times.filter { builder.timely.contains[$0.key] }
            .sorted { $0.value == $1.value ? builder.names[$0.key] < builder.names[$1.key] : $0.value > $1.value }
        var items: [Shelf.Item] = []
        func add(_ product: Int) {
            guard items.count < builder.most, let reason = reason(of: product), builder.isOffered(product) else {
                return
            }
            items.append(Shelf.Item(product: builder.names[product], reason: reason))
        }
        for (product, _) in own { add(product) }
        for product in builder.timely.products where times[product] == nil {
            add(product)
            if items.count == builder.most { break }
        }
        return Shelf(kind: .now, items: items)
    }

    /// Returns the first that is true: its offer ends, few are left, its season is now, it is fresh.
    private func reason(of product: Int) -> Reason? {
        guard let supply = builder.supply(product) else { return nil }
        let sales = builder.shoppers.sales
        if let scarcity = supply.scarcity(at: builder.now, recentOrders: sales.recent(of: product)) { return scarcity }
        if let strength = builder.inSeason[product] { return .season(strength) }
        return supply.freshness(at: builder.now)
    }

    /// The products in most recent orders at the pickup place of the shopper's last order.
    private var place: Shelf {
        guard let place = history.flatMap({ Array($0).last?.place }) else { return Shelf(kind: .place, items: []) }
        var best = BestProducts(builder.most, names: builder.names)
        let sales = builder.shoppers.sales.recent(at: place)
        for (product, orders) in sales where orders >= RecommenderLimits.placeOrders {
            if best.wouldTake(Float(orders)), builder.isOffered(product) { best.offer(product, Float(orders)) }
        }
        return Shelf(
            kind: .place,
            items: best.products.map { product in
                Shelf.Item(product: builder.names[product], reason: .place(orders: Int(sales[product] ?? 0)))
            })
    }

    /// The products that the shopper looked at and did not order since, the latest first.
    private var viewed: Shelf {
        let baskets = history.map { Array($0) } ?? []
        let products = builder.viewed.filter { view in
            builder.isOffered(view.product)
                && !baskets.contains { $0.placed > view.at && $0.contains(view.product) }
        }
        return Shelf(
            kind: .viewed,
            items: products.prefix(builder.most).map { view in
                Shelf.Item(product: builder.names[view.product], reason: .viewed)
            })
    }
}
