/// The sales of every product, by its number, including products outside the model.
struct Sales: Sendable {
    /// The number of baskets with each product, by day (UTC, from 1970).
    private(set) var daily: [Int: [Int: Int64]] = [:]
    /// The number of baskets with each product.
    private(set) var total: [Int64] = []
    /// The number of baskets with each product in the last ``RecommenderLimits/recentDays`` days, up to the day of the
    /// newest basket.
    private(set) var recent: [Int64] = []
    /// The sum of ``recent``.
    private(set) var recentSum: Int64 = 0
    private(set) var baskets = 0
    /// The day of the newest basket, or nil without baskets.
    private var newest: Int?

    /// Returns the number of baskets with a product.
    func total(of product: Int) -> Int64 { product < total.count ? total[product] : 0 }

    /// Extends the counts to the products with numbers below `count`.
    mutating func widen(to count: Int) {
        guard count > total.count else { return }
        total += Array(repeating: 0, count: count - total.count)
        recent += Array(repeating: 0, count: count - recent.count)
    }

    /// Counts a basket of a day, or removes it if `times` is −1.
    mutating func count(_ basket: [Int], on day: Int, times: Int64) {
        if times > 0, newest.map({ $0 < day }) ?? true { advance(to: day) }
        for product in basket {
            total[product] += times
            daily[day, default: [:]][product, default: 0] += times
            if daily[day]?[product] == 0 { daily[day]?[product] = nil }
            if isRecent(day) { add(times, of: product) }
        }
        baskets += Int(times)
        guard daily[day]?.isEmpty == true else { return }
        daily[day] = nil
        if day == newest { retreat() }
    }

    private func isRecent(_ day: Int) -> Bool { newest.map { day > $0 - RecommenderLimits.recentDays } ?? false }

    private mutating func add(_ count: Int64, of product: Int) {
        recent[product] += count
        recentSum += count
    }

    /// Moves the end of the recent days forward. No basket is newer than the old end, so only old days are dropped.
    private mutating func advance(to day: Int) {
        let before = newest
        newest = day
        guard let before else { return }
        for old in (before - RecommenderLimits.recentDays + 1)...before where !isRecent(old) {
            for (product, count) in daily[old] ?? [:] { add(-count, of: product) }
        }
    }

    /// Recounts the recent days after the last basket of the newest day was removed.
    private mutating func retreat() {
        newest = daily.keys.max()
        recent = Array(repeating: 0, count: recent.count)
        recentSum = 0
        for (day, counts) in daily where isRecent(day) {
            for (product, count) in counts { add(count, of: product) }
        }
    }
}
