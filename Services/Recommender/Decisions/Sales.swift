/// The sales of every product, by its number, including products outside the model.
struct Sales: Sendable {
    /// The number of baskets with each product.
    private(set) var total: [Int64] = []
    /// The number of baskets with each product in the last ``RecommenderLimits/recentDays`` days, up to the day of the
    /// newest basket.
    private(set) var recent: [Int64] = []
    /// The baskets of these days.
    private(set) var recentBaskets: Int64 = 0
    private(set) var baskets = 0
    /// The number of baskets of each day (UTC, from 1970).
    private var days: [Int: Int] = [:]
    /// The number of baskets with each product, for each of the recent days.
    private var daily: [Int: [Int: Int64]] = [:]
    /// The last of the recent days, or nil without baskets.
    private var newest: Int?
    /// Whether the last basket of the newest day was removed, so that ``recount(_:)`` must be called.
    var isStale: Bool { days.keys.max() != newest }

    /// Returns the number of baskets with a product.
    func total(of product: Int) -> Int64 { product < total.count ? total[product] : 0 }

    /// Returns the number of recent baskets with a product.
    func recent(of product: Int) -> Int64 { product < recent.count ? recent[product] : 0 }

    /// Extends the counts to the products with numbers below `count`.
    mutating func widen(to count: Int) {
        guard count > total.count else { return }
        total += Array(repeating: 0, count: count - total.count)
        recent += Array(repeating: 0, count: count - recent.count)
    }

    /// Counts a basket of a day, or removes it if `times` is −1. After removals, check ``isStale``.
    mutating func count(_ basket: ArraySlice<UInt32>, on day: Int, times: Int64) {
        for product in basket { total[Int(product)] += times }
        baskets += Int(times)
        days[day, default: 0] += Int(times)
        if days[day] == 0 { days[day] = nil }
        if times > 0, newest.map({ $0 < day }) ?? true { advance(to: day) }
        countRecent(basket, on: day, times: times)
    }

    private mutating func countRecent(_ basket: ArraySlice<UInt32>, on day: Int, times: Int64) {
        guard isRecent(day) else { return }
        for product in basket.lazy.map({ Int($0) }) {
            recent[product] += times
            daily[day, default: [:]][product, default: 0] += times
        }
        recentBaskets += times
        daily[day, default: [:]][Self.wholeBasket, default: 0] += times
    }

    /// The key under which a day counts its baskets beside its products.
    private static let wholeBasket = -1

    private func isRecent(_ day: Int) -> Bool { newest.map { day > $0 - RecommenderLimits.recentDays } ?? false }

    /// Moves the end of the recent days forward. No basket is newer than the old end, so only old days are dropped.
    private mutating func advance(to day: Int) {
        newest = day
        for old in daily.keys where !isRecent(old) {
            for (product, count) in daily.removeValue(forKey: old) ?? [:] {
                if product == Self.wholeBasket { recentBaskets -= count } else { recent[product] -= count }
            }
        }
    }

    /// Counts the recent days of all baskets again, after the last basket of the newest day was removed.
    mutating func recount(_ histories: some Sequence<PurchaseHistory>) {
        newest = days.keys.max()
        recent = Array(repeating: 0, count: recent.count)
        recentBaskets = 0
        daily = [:]
        for history in histories {
            for basket in history { countRecent(basket.products, on: basket.day, times: 1) }
        }
    }
}
