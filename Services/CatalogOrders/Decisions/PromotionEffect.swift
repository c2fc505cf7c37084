import Vocabulary

/// How much more of those who saw a promotion ordered than of those from whom it was held back.
///
/// The interval covers the true difference in 95 of 100 cases.
struct PromotionEffect: Equatable {
    /// Shares of people: 0.05 is five of a hundred more.
    let difference: Double
    let low: Double
    let high: Double

    /// Returns nil if one of the groups is empty.
    init?(_ counts: PromotionCounts) {
        guard let shown = Proportion(counts.shownBought, of: counts.shown),
            let held = Proportion(counts.heldBackBought, of: counts.heldBack)
        else { return nil }
        let effect = shown.difference(from: held)
        (difference, low, high) = (effect.share, effect.low, effect.high)
    }
}
