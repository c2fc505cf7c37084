import EventSourcing
import Vocabulary

/// The baskets of all shoppers and the sums over them.
///
/// The sums depend only on the purchases and the head, not on the order in which the events were consumed.
struct Shoppers: Sendable {
    private var histories: [PersonID: PurchaseHistory] = [:]
    /// The sums for the products of the head.
    private(set) var sums = Statistics()
    /// The sales of all products.
    private(set) var sales = Sales()
    private(set) var repeats = Repeats()
    private(set) var seasons = Seasons()
    private(set) var transitions = 0

    /// What is derived from a shopper's baskets, up to some basket. It is not stored, because it is soon derived again.
    private struct Progress {
        var vector = PurchaseVector()
        var known: Set<Int> = []
    }

    subscript(_ person: PersonID) -> PurchaseHistory? { histories[person] }
    var count: Int { histories.count }

    /// Returns the first people after one, in byte order.
    func people(after person: PersonID?, _ most: Int) -> [PersonID] {
        Array(histories.keys.filter { one in person.map { $0 < one } ?? true }.sorted().prefix(most))
    }

    /// Appends a basket that is newer than all others of the person.
    mutating func append(_ basket: PurchaseBasket, of person: PersonID) {
        widen(to: basket.products)
        let history = histories[person] ?? PurchaseHistory()
        var progress = Progress(vector: history.vector, known: history.known)
        histories[person, default: PurchaseHistory()].append(basket)
        let products = basket.products.map { UInt32($0) }
        let packed = PurchaseHistory.Basket(placed: basket.placed, place: basket.place, products: products[...])
        learn(packed, &progress, times: 1)
    }

    /// Sets all baskets of a person, in the order they were placed. An empty history removes the person.
    ///
    /// If the known baskets are the first of the new ones, only the others are added. Otherwise the old baskets are
    /// subtracted and all new ones added.
    mutating func set(_ person: PersonID, to history: PurchaseHistory) {
        let before = histories.removeValue(forKey: person) ?? PurchaseHistory()
        var first = 0
        var progress = Progress()
        if before.isPrefix(of: history) {
            first = before.count
            progress = Progress(vector: before.vector, known: before.known)
        } else {
            var gone = Progress()
            for basket in before { learn(basket, &gone, times: -1) }
        }
        for basket in history { widen(to: basket.products.suffix(1).map { Int($0) }) }
        for (index, basket) in history.enumerated() where index >= first { learn(basket, &progress, times: 1) }
        if history.count > 0 { histories[person] = history }
        if sales.isStale { sales.recount(histories.values) }
    }

    /// Changes the products that the sums cover.
    ///
    /// Products that enter are counted from the stored baskets of all shoppers who bought them. So the sums are the
    /// same as if the head had always been this one.
    mutating func focus(on head: [Int]) {
        let entering = sums.place(head)
        guard !entering.isEmpty else { return }
        for history in histories.values where history.contains(where: { $0.products.contains { entering[Int($0)] } }) {
            var vector = PurchaseVector()
            for basket in history {
                sums.add(vector, followedBy: basket.products, times: 1, only: entering)
                sums.count(basket.products, times: 1, only: entering)
                vector.take(basket.products)
            }
            sums.own(history.known, only: entering)
        }
    }

    private mutating func widen(to products: [Int]) {
        guard let last = products.last else { return }
        sales.widen(to: last + 1)
        repeats.widen(to: last + 1)
        seasons.widen(to: last + 1)
    }

    private mutating func learn(_ basket: PurchaseHistory.Basket, _ progress: inout Progress, times: Int64) {
        if !progress.vector.products.isEmpty {
            sums.add(progress.vector, followedBy: basket.products, times: times)
            repeats.add(progress.vector, followedBy: basket.products, times: times)
            transitions += Int(times)
        }
        sums.count(basket.products, times: times)
        sales.count(basket, times: times)
        seasons.count(basket, times: times)
        for product in basket.products.lazy.map({ Int($0) }) where progress.known.insert(product).inserted {
            sums.own(product, beside: progress.known, times: times)
        }
        progress.vector.take(basket.products)
    }
}
