import Vocabulary

/// The products that may have to be bought soon, or are in season: chosen now and then, so that a request reads few.
struct TimelyProducts: Sendable {
    /// Their numbers, those in most recent orders first.
    let products: [Int]
    let contains: ProductFlags
    /// The time at which they were chosen, and the states of the indexes that they were chosen from.
    private let chosen: Instant
    private let state: Int

    /// None.
    init() { self.init([], sales: Sales(), names: [], chosen: .earliest, state: -1) }

    init(_ products: Set<Int>, sales: Sales, names: [ProductID], chosen: Instant, state: Int) {
        self.products = products.sorted { one, other in
            let (mine, its) = (sales.recent(of: one), sales.recent(of: other))
            return mine == its ? names[one] < names[other] : mine > its
        }
        contains = ProductFlags(products)
        (self.chosen, self.state) = (chosen, state)
    }

    /// Whether they can be used: nothing has joined or left the indexes, and little time has passed.
    func isCurrent(at now: Instant, state: Int) -> Bool {
        self.state == state && now.seconds(since: chosen) < RecommenderLimits.timelySeconds && now >= chosen
    }
}
