import EventSourcing
import Vocabulary

/// One basket that somebody bought.
struct Basket: Equatable, Sendable {
    let placed: Instant
    let order: String
    /// The numbers of its products, in ascending order, each once.
    let products: [Int]

    var day: Int { Int((Double(placed.microseconds) / 86_400_000_000).rounded(.down)) }
}

/// Everybody's baskets, and the sums over them: a function of who bought what when, whatever order that was heard in.
struct Shoppers: Sendable {
    /// What is known of one shopper.
    struct Shopper: Sendable {
        var baskets: [Basket] = []
        var taste = Taste()
        /// The numbers of all products bought so far, in the order they were first bought.
        var known: [Int] = []
    }

    private var shoppers: [PersonID: Shopper] = [:]
    private(set) var sums = Statistics()

    subscript(_ person: PersonID) -> Shopper? { shoppers[person] }
    var count: Int { shoppers.count }

    /// These are all of somebody's baskets now, in the order they were placed; none forgets the person.
    ///
    /// What is as it was before is not counted anew: a basket behind all others costs one transition.
    mutating func set(_ person: PersonID, to baskets: [Basket]) {
        var shopper = shoppers.removeValue(forKey: person) ?? Shopper()
        if !baskets.starts(with: shopper.baskets) {
            replay(shopper.baskets, times: -1)
            shopper = Shopper()
        }
        sums.widen(to: (baskets.compactMap(\.products.last).max() ?? -1) + 1)
        for basket in baskets[shopper.baskets.count...] { learn(basket, &shopper, times: 1) }
        guard !baskets.isEmpty else { return }
        shopper.baskets = baskets
        shoppers[person] = shopper
    }

    private mutating func replay(_ baskets: [Basket], times: Int64) {
        var shopper = Shopper()
        for basket in baskets { learn(basket, &shopper, times: times) }
    }

    private mutating func learn(_ basket: Basket, _ shopper: inout Shopper, times: Int64) {
        if !shopper.taste.products.isEmpty { sums.add(shopper.taste, followedBy: basket.products, times: times) }
        sums.count(basket.products, on: basket.day, times: times)
        for product in basket.products where !shopper.known.contains(product) {
            shopper.known.append(product)
            sums.own(product, beside: shopper.known, times: times)
        }
        shopper.taste.take(basket.products)
    }
}
