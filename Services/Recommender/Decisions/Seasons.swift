/// How often each product is bought at which time of the year, in all years together.
struct Seasons: Sendable {
    /// The number of baskets of each week of the year.
    private var baskets = Array(repeating: Int64(0), count: Self.weeks)
    /// The number of baskets with each product in each week; empty for a product that was never bought.
    private var products: [[Int32]] = []

    /// How much more often a product is bought at a time of the year.
    enum Strength: Equatable, Sendable {
        /// This many times as often as in the rest of the year, 2 or more.
        case times(Int)
        /// Never in the rest of the year.
        case onlyNow
    }

    private static let weeks = 53

    /// Returns the week of the year of a day (UTC, from 1970), from 0, by the mean length of a year.
    static func week(of day: Int) -> Int {
        let year = 3_652_425
        return ((day * 10_000 % year) + year) % year / 70_000
    }

    /// Extends the counts to the products with numbers below `count`.
    mutating func widen(to count: Int) {
        if count > products.count { products += Array(repeating: [], count: count - products.count) }
    }

    /// Counts a basket, or removes it if `times` is −1.
    mutating func count(_ basket: PurchaseHistory.Basket, times: Int64) {
        let week = Self.week(of: basket.day)
        baskets[week] += times
        for product in basket.products.lazy.map({ Int($0) }) {
            if products[product].isEmpty { products[product] = Array(repeating: 0, count: Self.weeks) }
            products[product][week] += Int32(times)
        }
    }

    /// Returns the products that are in season on a day (UTC, from 1970).
    ///
    /// Known are the seasons of a shop with orders in ``RecommenderLimits/seasonWeeks`` weeks of the year.
    func strengths(on day: Int) -> [Int: Strength] {
        guard hasWholeYear else { return [:] }
        let week = Self.week(of: day)
        var strengths: [Int: Strength] = [:]
        for product in products.indices where !products[product].isEmpty {
            strengths[product] = strength(of: product, around: week)
        }
        return strengths
    }

    /// Returns how strongly a product is in season, by the shares of the baskets that contain it: those of the five
    /// weeks around `middle`, and those of the rest of the year.
    private func strength(of product: Int, around middle: Int) -> Strength? {
        var (near, nearAll) = (Int64(0), Int64(0))
        for distance in -2...2 {
            let week = (middle + distance + Self.weeks) % Self.weeks
            near += Int64(products[product][week])
            nearAll += baskets[week]
        }
        guard near >= RecommenderLimits.seasonBaskets else { return nil }
        let far = products[product].reduce(0) { $0 + Int64($1) } - near
        guard far > 0 else { return .onlyNow }
        let farAll = baskets.reduce(0, +) - nearAll
        let ratio = Double(near) * Double(farAll) / (Double(far) * Double(nearAll))
        return ratio >= 2 ? .times(Int(ratio)) : nil
    }

    private var hasWholeYear: Bool { baskets.count { $0 > 0 } >= RecommenderLimits.seasonWeeks }
}
