import EventSourcing
import Vocabulary

/// The products of one order of a shopper.
struct PurchaseBasket: Equatable, Sendable {
    let placed: Instant
    let order: String
    /// The numbers of its products, in ascending order without duplicates.
    let products: [Int]

    var day: Int { Int((Double(placed.microseconds) / 86_400_000_000).rounded(.down)) }
}

/// The baskets of all shoppers and the sums over them.
///
/// The sums depend only on the purchases and the head, not on the order in which the events were consumed.
struct Shoppers: Sendable {
    /// The baskets of one shopper and the values derived from them.
    struct Shopper: Sendable {
        var baskets: [PurchaseBasket] = []
        var vector = PurchaseVector()
        /// The numbers of all products bought so far, in the order they were first bought.
        var known: [Int] = []
    }

    private var shoppers: [PersonID: Shopper] = [:]
    /// The sums for the products of the head.
    private(set) var sums = Statistics()
    /// The sales of all products.
    private(set) var sales = Sales()
    private(set) var repeats = Repeats()
    private(set) var transitions = 0

    subscript(_ person: PersonID) -> Shopper? { shoppers[person] }
    var count: Int { shoppers.count }

    /// Sets all baskets of a person, in the order they were placed. An empty list removes the person.
    ///
    /// A basket appended to the known ones adds one transition. Otherwise the old baskets are subtracted and all new
    /// ones added.
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

    /// Changes the products that the sums cover.
    ///
    /// Products that enter are counted from the stored baskets of all shoppers who bought them. So the sums are the
    /// same as if the head had always been this one.
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
