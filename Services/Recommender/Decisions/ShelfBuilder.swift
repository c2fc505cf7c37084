import EventSourcing
import Vocabulary

/// Builds the shelves of suggestions. The result depends only on the log, the stock and the cart, not on a clock or
/// randomness.
struct ShelfBuilder {
    /// The products in stock, in byte order of their names.
    let candidates: [Candidate]
    let shoppers: Shoppers
    /// The names of the products, by number.
    let names: [ProductID]
    let model: Model?
    let title: (ProductID) -> String
    let most: Int

    /// A product that can be bought.
    struct Candidate: Sendable {
        let product: ProductID
        let number: Int
        let listed: Instant?
    }

    /// The weight of a product's share of recent sales in its score, beside the ridge or EASE.
    ///
    /// Tuned on the half of the shoppers in a grocery data set on which the model is not tested.
    static func recentWeight(for question: Model.Question) -> Double {
        switch question {
        case .next: 0.5
        case .unknown: 6.0
        }
    }

    /// Returns the shelves that have items.
    ///
    /// - Parameters:
    ///   - person: the shopper, or nil for an anonymous visitor.
    ///   - cart: the products in the cart, which are not suggested.
    func shelves(for person: PersonID?, cart: [ProductID]) -> [Shelf] {
        let shopper = person.flatMap { shoppers[$0] }
        let free = candidates.filter { !cart.contains($0.product) }
        var shelves: [Shelf] = []
        if let shopper {
            let ranking = Ranking(self, shopper, asking: .next)
            let ranked = ranking.ranked(free)
            shelves.append(Shelf(kind: .next, items: ranked.prefix(most).map { ranking.item($0) }))
            let known = ranked.filter { ranking.times($0.number) > 0 }
            shelves.append(Shelf(kind: .again, items: known.prefix(most).map { ranking.item($0) }))
        }
        let chosen = Set(cart)
        let anchors =
            cart.isEmpty ? shopper?.baskets.last?.products ?? [] : names.indices.filter { chosen.contains(names[$0]) }
        shelves.append(together(free, with: anchors))
        shelves.append(popular(free))
        shelves.append(discover(free, shopper))
        return shelves.filter { !$0.items.isEmpty }
    }

    // MARK: Shelves

    /// Returns the products that are often ordered together with the anchors: the cart, or else the last order.
    private func together(_ free: [Candidate], with anchors: [Int]) -> Shelf {
        let (sums, sales) = (shoppers.sums, shoppers.sales)
        let chosen = Set(anchors)
        var scored: [(candidate: Candidate, score: Double, anchor: Int)] = []
        for candidate in free where !chosen.contains(candidate.number) {
            var best: (score: Double, anchor: Int)?
            var total = 0.0
            for anchor in anchors {
                let shared = sums.baskets(with: candidate.number, and: anchor)
                guard shared >= RecommenderLimits.sharedBaskets else { continue }
                let each = Double(sales.total[candidate.number]) * Double(sales.total[anchor])
                let cosine = Double(shared) / each.squareRoot()
                total += cosine
                if cosine > best?.score ?? 0 { best = (cosine, anchor) }
            }
            if let best { scored.append((candidate, total, best.anchor)) }
        }
        let sorted = scored.sorted { ($1.score, $0.candidate.product) < ($0.score, $1.candidate.product) }
        let items = sorted.prefix(most).map {
            Shelf.Item(product: $0.candidate.product, reason: .together(title(names[$0.anchor])))
        }
        return Shelf(kind: .together, items: items)
    }

    private func popular(_ free: [Candidate]) -> Shelf {
        let sold = free.map { (product: $0.product, orders: recent($0)) }.filter { $0.orders > 0 }
            .sorted { ($1.orders, $0.product) < ($0.orders, $1.product) }
        let items = sold.prefix(most).map {
            Shelf.Item(product: $0.product, reason: .popular(orders: Int($0.orders)))
        }
        return Shelf(kind: .popular, items: items)
    }

    /// Returns products that the shopper never bought, or the newest products for a visitor without orders.
    private func discover(_ free: [Candidate], _ shopper: Shoppers.Shopper?) -> Shelf {
        guard let shopper else {
            let listed = free.filter { $0.listed != nil }.sorted {
                ($1.listed ?? .earliest, $0.product) < ($0.listed ?? .earliest, $1.product)
            }
            return Shelf(
                kind: .discover, items: listed.prefix(most).map { Shelf.Item(product: $0.product, reason: .new) })
        }
        let ranking = Ranking(self, shopper, asking: .unknown)
        let unknown = ranking.ranked(free.filter { ranking.times($0.number) == 0 })
        return Shelf(kind: .discover, items: unknown.prefix(most).map { ranking.item($0) })
    }

    /// Returns the number of recent baskets with the product.
    func recent(_ candidate: Candidate) -> Int64 {
        let recent = shoppers.sales.recent
        return candidate.number < recent.count ? recent[candidate.number] : 0
    }
}
