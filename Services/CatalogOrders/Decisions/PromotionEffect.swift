/// How much more of those who saw a promotion ordered than of those from whom it was held back.
///
/// The interval covers the true difference in 95 of 100 cases: R. G. Newcombe, Interval estimation for the difference
/// between independent proportions, Statistics in Medicine 17 (1998), method 10, from Wilson's score intervals.
struct PromotionEffect: Equatable {
    /// Shares of people: 0.05 is five of a hundred more.
    let difference: Double
    let low: Double
    let high: Double

    /// The quantile of the normal distribution for 95 per cent, two-sided.
    private static let z = 1.959_963_984_540_054

    /// Returns nil if one of the groups is empty.
    init?(_ counts: PromotionCounts) {
        guard counts.shown > 0, counts.heldBack > 0 else { return nil }
        let shown = Self.wilson(counts.shownBought, of: counts.shown)
        let held = Self.wilson(counts.heldBackBought, of: counts.heldBack)
        difference = shown.share - held.share
        low = difference - Self.length(shown.share - shown.low, held.high - held.share)
        high = difference + Self.length(shown.high - shown.share, held.share - held.low)
    }

    private static func length(_ left: Double, _ right: Double) -> Double {
        (left * left + right * right).squareRoot()
    }

    private static func wilson(_ count: Int, of all: Int) -> (share: Double, low: Double, high: Double) {
        let (n, share) = (Double(all), Double(count) / Double(all))
        let middle = share + z * z / (2 * n)
        let width = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
        let scale = 1 + z * z / n
        return (share, (middle - width) / scale, (middle + width) / scale)
    }
}
