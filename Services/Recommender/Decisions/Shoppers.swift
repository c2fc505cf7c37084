import EventSourcing
import Vocabulary

/// One basket that somebody bought.
struct PurchaseBasket: Equatable, Sendable {
    let placed: Instant
    let order: String
    /// The numbers of its products, in ascending order, each once.
    let products: [Int]

    var day: Int { Int((Double(placed.microseconds) / 86_400_000_000).rounded(.down)) }
}

/// All shoppers' baskets, and the sums over them: a function of who bought what when and of the head, whatever order
/// that was read in.
struct Shoppers: Sendable {
    /// What is known of one shopper.
    struct Shopper: Sendable {
        var baskets: [PurchaseBasket] = []
        var vector = PurchaseVector()
        /// The numbers of all products bought so far, in the order they were first bought.
        var known: [Int] = []
    }

    private var shoppers: [PersonID: Shopper] = [:]
    /// Of the products of the head.
    private(set) var sums = Statistics()
    /// Of all products.
    private(set) var sales = Sales()
    private(set) var repeats = Repeats()
    private(set) var transitions = 0

    subscript(_ person: PersonID) -> Shopper? { shoppers[person] }
    var count: Int { shoppers.count }

    /// Sets all of a person's baskets, in the order they were placed; an empty list forgets the person.
    ///
    /// A basket behind all others costs one transition: what is as it was before is not counted again.
    mutating func set(_ person: PersonID, to baskets: [PurchaseBasket]) {
        var shopper = shoppers.removeValue(forKey: person) ?? Shopper()
        if !baskets.starts(with: shopper.baskets) {
            replay(shopper.baskets, times: -1)
            shopper = Shopper()
        }
        let width = (baskets.compactMap(\.products.last).max() ?? -1) + 1
        sales.widen(to: width)
        repeats.widen(to: width)
        for basket in baskets[shopper.baskets.count...] { learn(basket, &shopper, times: 1) }
        guard !baskets.isEmpty else { return }
        shopper.baskets = baskets
        shoppers[person] = shopper
    }

    /// Lets the sums be of these products. Those that enter are counted from the baskets of every shopper who bought
    /// one, so the sums are the same as if the head had always been this one.
    mutating func focus(on head: [Int]) {
        let entering = sums.place(head)
        guard !entering.isEmpty else { return }
        for shopper in shoppers.values where shopper.known.contains(where: entering.contains) {
            var vector = PurchaseVector()
            for basket in shopper.baskets {
                sums.add(vector, followedBy: basket.products, times: 1, only: entering)
                sums.count(basket.products, times: 1, only: entering)
                vector.take(basket.products)
            }
            sums.own(shopper.known, only: entering)
        }
    }

    private mutating func replay(_ baskets: [PurchaseBasket], times: Int64) {
        var shopper = Shopper()
        for basket in baskets { learn(basket, &shopper, times: times) }
    }

    private mutating func learn(_ basket: PurchaseBasket, _ shopper: inout Shopper, times: Int64) {
        if !shopper.vector.products.isEmpty {
            sums.add(shopper.vector, followedBy: basket.products, times: times)
            repeats.add(shopper.vector, followedBy: basket.products, times: times)
            transitions += Int(times)
        }
        sums.count(basket.products, times: times)
        sales.count(basket.products, on: basket.day, times: times)
        for product in basket.products where !shopper.known.contains(product) {
            shopper.known.append(product)
            sums.own(product, beside: shopper.known, times: times)
        }
        shopper.vector.take(basket.products)
    }
}
