import Vocabulary

/// What can be ordered of a product: the offers that are in stock.
struct Supply: Equatable, Sendable {
    /// When the last of its offers ends; far in the future if one has no end.
    let until: Instant
    /// The units in all its lots.
    var units: Int
    /// The newest harvest among its lots, or nil if none is known.
    let harvested: Instant?

    /// Returns why the product may soon be gone: its offer ends, or few are left. Nil for neither.
    ///
    /// - Parameter recentOrders: the number of recent orders with the product; few units last if none is ordered.
    func scarcity(at now: Instant, recentOrders: Int64) -> Reason? {
        let left = Self.days(until.seconds(since: now))
        if left <= RecommenderLimits.endingDays { return .ending(days: left) }
        if units <= RecommenderLimits.fewUnits, recentOrders >= units { return .few(units: units) }
        return nil
    }

    /// Returns how fresh it is; nil if it was harvested longer ago, or it is not known when.
    func freshness(at now: Instant) -> Reason? {
        guard let harvested, harvested <= now else { return nil }
        let days = Self.days(now.seconds(since: harvested))
        return days <= RecommenderLimits.freshDays ? .fresh(days: days) : nil
    }

    /// Returns the days of a duration, rounded up, at least one.
    private static func days(_ seconds: Double) -> Int {
        max(1, Int(min(seconds / 86_400, 1_000_000).rounded(.up)))
    }
}
