/// The sales of every product, by its number, including products outside the model.
struct Sales: Sendable {
    /// The number of baskets with each product.
    private(set) var total: [Int64] = []
    /// The number of baskets with each product in the last ``RecommenderLimits/recentDays`` days, up to the day of the
    /// newest basket.
    private(set) var recent: [Int64] = []
    /// The baskets of these days.
    private(set) var recentBaskets: Int64 = 0
    /// The number of recent baskets with each product at each pickup place.
    private var places: [Int: [Int: Int64]] = [:]
    private(set) var baskets = 0
    /// The number of baskets of each day (UTC, from 1970).
    private var days: [Int: Int] = [:]
    /// The number of baskets with each product, for each of the recent days: of all, and of each pickup place.
    private var daily: [Int: [Count: Int64]] = [:]
    /// The last of the recent days (UTC, from 1970), or nil without baskets.
    private(set) var newest: Int?
    /// Whether the last basket of the newest day was removed, so that ``recount(_:)`` must be called.
    var isStale: Bool { days.keys.max() != newest }

    /// Returns the number of baskets with a product.
    func total(of product: Int) -> Int64 { product < total.count ? total[product] : 0 }

    /// Returns the number of recent baskets with a product.
    func recent(of product: Int) -> Int64 { product < recent.count ? recent[product] : 0 }

    /// Returns the number of recent baskets with each product at a pickup place.
    func recent(at place: Int) -> [Int: Int64] { places[place] ?? [:] }

    /// Extends the counts to the products with numbers below `count`.
    mutating func widen(to count: Int) {
        guard count > total.count else { return }
        total += Array(repeating: 0, count: count - total.count)
        recent += Array(repeating: 0, count: count - recent.count)
    }

    /// Counts a basket, or removes it if `times` is −1. After removals, check ``isStale``.
    mutating func count(_ basket: PurchaseHistory.Basket, times: Int64) {
        let day = basket.day
        for product in basket.products { total[Int(product)] += times }
        baskets += Int(times)
        days[day, default: 0] += Int(times)
        if days[day] == 0 { days[day] = nil }
        if times > 0, newest.map({ $0 < day }) ?? true { advance(to: day) }
        countRecent(basket, times: times)
    }

    private mutating func countRecent(_ basket: PurchaseHistory.Basket, times: Int64) {
        let day = basket.day
        guard isRecent(day) else { return }
        var counts = daily.removeValue(forKey: day) ?? [:]
        for product in basket.products.lazy.map({ Int($0) }) {
            counts[Count(product: product), default: 0] += times
            recent[product] += times
            guard let place = basket.place else { continue }
            let count = Count(product: product, place: place)
            counts[count, default: 0] += times
            add(times, to: count)
        }
        counts[.baskets, default: 0] += times
        add(times, to: .baskets)
        daily[day] = counts
    }

    /// What a day counts: all baskets, those with a product, or those with a product at a pickup place.
    ///
    /// It is one number, because there may be hundreds of thousands.
    private struct Count: Hashable {
        static let baskets = Count(number: -1)
        private static let places = 40

        private let number: Int

        private init(number: Int) { self.number = number }

        init(product: Int) { number = product }

        init(product: Int, place: Int) { number = product | (place + 1) << Self.places }

        /// The product, and the place unless all places are counted; nil for all baskets.
        var part: (product: Int, place: Int?)? {
            guard number >= 0 else { return nil }
            let place = number >> Self.places
            return (number & (1 << Self.places - 1), place == 0 ? nil : place - 1)
        }
    }

    /// Changes the count of all recent days.
    private mutating func add(_ count: Int64, to key: Count) {
        guard let (product, place) = key.part else {
            recentBaskets += count
            return
        }
        guard let place else {
            recent[product] += count
            return
        }
        let sum = (places[place]?[product] ?? 0) + count
        places[place, default: [:]][product] = sum == 0 ? nil : sum
    }

    private func isRecent(_ day: Int) -> Bool { newest.map { day > $0 - RecommenderLimits.recentDays } ?? false }

    /// Moves the end of the recent days forward. No basket is newer than the old end, so only old days are dropped.
    private mutating func advance(to day: Int) {
        newest = day
        for old in daily.keys where !isRecent(old) {
            for (key, count) in daily.removeValue(forKey: old) ?? [:] { add(-count, to: key) }
        }
    }

    /// Counts the recent days of all baskets again, after the last basket of the newest day was removed.
    mutating func recount(_ histories: some Sequence<PurchaseHistory>) {
        newest = days.keys.max()
        recent = Array(repeating: 0, count: recent.count)
        recentBaskets = 0
        (daily, places) = ([:], [:])
        for history in histories {
            for basket in history { countRecent(basket, times: 1) }
        }
    }
}
