import Events
import Vocabulary

/// The limit of batteries at places without one of their own: a sensor whose battery is nearly empty raises an alarm
/// before it falls silent. People are notified of it outside of quiet hours.
enum BatteryLimit {
    static let rule = RuleID("battery")
    /// Percent. Coin cells keep their voltage for long and then fail within days.
    static let below = 10.0
    /// A new battery clears the alarm, and the recovery of an old one on a warm day does not.
    static let hysteresis = 15.0

    /// Returns the rules of a place: those that are set, and this limit unless one of batteries is among them.
    static func rules(_ set: [RuleSet], at place: Place) -> [RuleSet] {
        guard !set.contains(where: { $0.quantity == .battery }) else { return set }
        return set + [
            RuleSet(
                rule: rule, place: place, quantity: .battery, below: below, hysteresis: hysteresis, enabled: true,
                urgent: false)
        ]
    }
}
