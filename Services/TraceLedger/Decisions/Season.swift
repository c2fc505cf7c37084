import Events
import Vocabulary

/// What a plot's past says about a harvest at a certain moment: since when it grew, and whether it has to wait.
struct Season {
    /// When the plot was last sown or planted before the harvest.
    let sown: Instant?
    /// Until when what was applied before the harvest forbids one.
    let waitingUntil: Instant?

    /// `activities` are all that is valid of what was done on the plot, in any order.
    init(of activities: [ActivityRow.Record], at harvest: Instant) {
        let past = activities.filter { $0.happened <= harvest }
        sown = past.filter(\.kind.beginsSeason).map(\.happened).max()
        waitingUntil =
            past.compactMap(\.waitingUntil).max()
    }
}

extension ActivityKind {
    /// Whatever is harvested grew since then.
    var beginsSeason: Bool { self == .sowing || self == .planting }
}
