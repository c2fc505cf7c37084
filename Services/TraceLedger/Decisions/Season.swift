import Events
import Vocabulary

/// The conditions of a harvest that follow from a plot's activities: when the crop was sown, and whether a waiting time
/// is running.
struct Season {
    /// The time at which the plot was last sown or planted before the harvest.
    let sown: Instant?
    /// The latest end of a waiting time that began before the harvest.
    let waitingUntil: Instant?

    /// - Parameter activities: The valid versions of all activities on the plot, in any order.
    init(of activities: [ActivityRow.Record], at harvest: Instant) {
        let past = activities.filter { $0.happened <= harvest }
        sown = past.filter(\.kind.beginsSeason).map(\.happened).max()
        waitingUntil =
            past.compactMap(\.waitingUntil).max()
    }
}

extension ActivityKind {
    /// Whether a crop grows from this activity on.
    var beginsSeason: Bool { self == .sowing || self == .planting }
}
