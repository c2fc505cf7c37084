import Vocabulary

/// What can be ordered of a product: the offers that are in stock.
struct Supply: Equatable, Sendable {
    /// When the last of its offers ends; ``Instant`` of the far future if one has no end.
    let until: Instant
    /// The units in all its lots.
    var units: Int
    /// The newest harvest among its lots, or nil if none is known.
    let harvested: Instant?

    /// Returns what is said about a product that should be bought soon: that its offer ends, that few are left, or that
    /// it was just harvested. Nil if nothing is.
    ///
    /// - Parameter recentOrders: the number of recent orders with the product; few units are no news if none sells.
    func reason(at now: Instant, recentOrders: Int64) -> Reason? {
        let left = Self.days(until.seconds(since: now))
        if left <= RecommenderLimits.endingDays { return .ending(days: left) }
        if units <= RecommenderLimits.fewUnits, recentOrders >= units { return .few(units: units) }
        return nil
    }

    /// Returns how fresh it is, or nil if it is not.
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
