import EventSourcing
import Events
import Vocabulary

/// Builds the shelves of suggestions. The result depends only on the log, the stock, the cart and ``now``, not on
/// randomness.
///
/// Its cost depends on the products that were sold, not on those that are listed.
struct ShelfBuilder {
    let shoppers: Shoppers
    /// The names of the products, by number.
    let names: [ProductID]
    let model: Model?
    /// The numbers of the listed products, the newest first.
    let newest: [Int]
    let title: (ProductID) -> String
    let most: Int
    /// What the person's favourites lead to.
    var favourites = FavouriteProducts()
    /// The numbers of the products that the person looked at, the latest first, and when.
    var viewed: [(product: Int, at: Instant)] = []
    /// What is in stock of a product, by its number.
    let supply: (Int) -> Supply?
    /// The products that may have to be bought soon, and those in season.
    var timely = TimelyProducts()
    var inSeason: [Int: Seasons.Strength] = [:]
    /// The time at which offers end and harvests grow old.
    let now: Instant
    /// Whether a product, by its number, can be bought and is not in the cart.
    let isOffered: (Int) -> Bool

    /// Returns the shelves that have items.
    ///
    /// - Parameters:
    ///   - person: the shopper, or nil for an anonymous visitor.
    ///   - cart: the numbers of the products in the cart.
    func shelves(for person: PersonID?, cart: [Int]) -> [Shelf] {
        var shelves: [Shelf] = []
        let history = person.flatMap { shoppers[$0] }
        let popular = popular()
        if let history {
            shelves += next(history, popular)
        }
        let last = history.flatMap { Array($0).last?.products.map { Int($0) } }
        shelves.append(together(with: cart.isEmpty ? last ?? [] : cart))
        shelves.append(
            Shelf(
                kind: .popular,
                items: popular.map {
                    Shelf.Item(product: names[$0], reason: .popular(orders: Int(shoppers.sales.recent(of: $0))))
                }))
        shelves.append(discover(history, popular))
        shelves += OccasionShelves(builder: self, history: history).all
        return shelves.filter { !$0.items.isEmpty }
    }

    /// Returns the candidates of a person's picks by a model: for the next basket, and never bought; best first.
    func candidates(for person: PersonID, by model: PicksModel) -> (known: [ProductID], new: [ProductID]) {
        func products(_ shelves: [Shelf], _ kind: ShelfKind) -> [ProductID]? {
            shelves.first { $0.kind == kind }?.items.map(\.product)
        }
        switch model {
        case .learnt:
            let shelves = shelves(for: person, cart: [])
            return (products(shelves, .next) ?? products(shelves, .popular) ?? [], products(shelves, .discover) ?? [])
        case .habit:
            let times = shoppers[person]?.timesBought ?? [:]
            var best = BestProducts(most, names: names)
            for (product, count) in times where isOffered(product) { best.offer(product, Float(count)) }
            var new = favouritesOnSale { times[$0] == nil }
            fill(&new, from: popular { times[$0] == nil }) { times[$0] == nil }
            return (best.products.map { names[$0] }, new.map { names[$0] })
        }
    }

    /// Returns these products as suggestions to a person, with the reasons that are true now.
    func items(_ numbers: [Int], for person: PersonID) -> [Shelf.Item] {
        guard let history = shoppers[person] else {
            return numbers.map { number in
                let orders = Int(shoppers.sales.recent(of: number))
                let reason = favourites.reason(of: number) ?? (orders > 0 ? .popular(orders: orders) : .new)
                return Shelf.Item(product: names[number], reason: reason)
            }
        }
        let (known, unknown) = (Ranking(self, history, asking: .next), Ranking(self, history, asking: .unknown))
        return numbers.map { known.times($0) > 0 ? known.item($0) : unknownItem($0, unknown) }
    }

    /// Returns the product in the person's orders that leads to this suggestion: itself if they bought it, or else the
    /// one that predicts it most. Nil if none does.
    func source(of number: Int, for person: PersonID) -> ProductID? {
        guard let history = shoppers[person] else { return nil }
        let ranking = Ranking(self, history, asking: .unknown)
        if ranking.times(number) > 0 { return names[number] }
        return favourites.reason(of: number) == nil ? ranking.predictor(of: number) : nil
    }

    // MARK: Shelves

    /// Returns the shelves of the products that are likely in the next basket: all of them, and those bought before.
    private func next(_ history: PurchaseHistory, _ popular: [Int]) -> [Shelf] {
        let ranking = Ranking(self, history, asking: .next)
        var products = ranking.best(most)
        fill(&products, from: popular) { _ in true }
        let known = ranking.bestKnown(most)
        return [
            Shelf(kind: .next, items: products.map { ranking.item($0) }),
            Shelf(kind: .again, items: known.map { ranking.item($0) }),
        ]
    }

    /// Returns the products that are often ordered together with the anchors: the cart, or else the last order.
    private func together(with anchors: [Int]) -> Shelf {
        let sums = shoppers.sums
        let rows = anchors.compactMap { anchor in sums.row(of: anchor).map { (anchor: anchor, row: $0) } }
        guard !rows.isEmpty else { return Shelf(kind: .together, items: []) }
        let chosen = ProductFlags(anchors)
        var totals = Array(repeating: 0.0, count: sums.products.count)
        for (anchor, row) in rows {
            for (column, shared) in sums.together[row].enumerated() where shared >= RecommenderLimits.sharedBaskets {
                if let product = sums.products[column] { totals[column] += cosine(product, column, anchor, row) }
            }
        }
        var best = BestProducts(most, names: names)
        for (row, total) in totals.enumerated() where total > 0 {
            guard let product = sums.products[row], !chosen[product] else { continue }
            let score = Float(total)
            if best.wouldTake(score), isOffered(product) { best.offer(product, score) }
        }
        let items = best.products.map { product in
            let row = sums.row(of: product) ?? 0
            let strongest = rows.max {
                cosine(product, row, $0.anchor, $0.row) < cosine(product, row, $1.anchor, $1.row)
            }
            return Shelf.Item(
                product: names[product], reason: .together(title(names[strongest?.anchor ?? product])))
        }
        return Shelf(kind: .together, items: items)
    }

    /// Returns the cosine similarity of two products by the baskets with both, or 0 if there are too few of them.
    private func cosine(_ product: Int, _ row: Int, _ anchor: Int, _ column: Int) -> Double {
        let shared = shoppers.sums.baskets(row, column)
        guard shared >= RecommenderLimits.sharedBaskets else { return 0 }
        let sales = shoppers.sales
        return Double(shared) / (Double(sales.total[product]) * Double(sales.total[anchor])).squareRoot()
    }

    /// Returns the numbers of the products with the most recent sales.
    private func popular(where isWanted: (Int) -> Bool = { _ in true }) -> [Int] {
        var best = BestProducts(most, names: names)
        for (product, orders) in shoppers.sales.recent.enumerated() {
            let score = Float(orders)
            guard orders > 0, best.wouldTake(score), isWanted(product), isOffered(product) else { continue }
            best.offer(product, score)
        }
        return best.products
    }

    /// Returns products that the shopper never bought: what favourites lead to, then the best ones, or the newest
    /// products for a visitor without orders.
    private func discover(_ history: PurchaseHistory?, _ popular: [Int]) -> Shelf {
        guard let history else {
            var products = favouritesOnSale { _ in true }
            fill(&products, from: []) { _ in true }
            let items = products.map { Shelf.Item(product: names[$0], reason: favourites.reason(of: $0) ?? .new) }
            return Shelf(kind: .discover, items: items)
        }
        let ranking = Ranking(self, history, asking: .unknown)
        var products = favouritesOnSale { ranking.times($0) == 0 }
        let seen = Set(products)
        products += ranking.best(most).filter { !seen.contains($0) }.prefix(most - products.count)
        fill(&products, from: popular) { ranking.times($0) == 0 }
        return Shelf(kind: .discover, items: products.map { unknownItem($0, ranking) })
    }

    /// Returns the favourite products, and some of favourite farms, that can be bought: together at most half a shelf.
    private func favouritesOnSale(where isWanted: (Int) -> Bool) -> [Int] {
        let wanted = (favourites.products + favourites.ofFarms).filter { isWanted($0) && isOffered($0) }
        return Array(wanted.prefix((most + 1) / 2))
    }

    /// Returns the suggestion of a product that the shopper never bought.
    private func unknownItem(_ number: Int, _ ranking: Ranking) -> Shelf.Item {
        guard let reason = favourites.reason(of: number) else { return ranking.item(number) }
        return Shelf.Item(product: names[number], reason: reason)
    }

    /// Fills the list up with popular products, then with the newest ones.
    private func fill(_ products: inout [Int], from popular: [Int], where isWanted: (Int) -> Bool) {
        guard products.count < most else { return }
        var seen = Set(products)
        for product in popular where products.count < most && isWanted(product) {
            if seen.insert(product).inserted { products.append(product) }
        }
        guard products.count < most else { return }
        for product in newest where isWanted(product) && !seen.contains(product) && isOffered(product) {
            products.append(product)
            if products.count == most { return }
        }
    }
}
