import EventSourcing
import Events
import Radio
import Vocabulary

/// The decider of one alarm: raised once when a value exceeds the limit, cleared when it is well inside again.
///
/// The hysteresis prevents a value that oscillates around the limit from raising one alarm after the other.
enum Alarm: Decider {
    /// One value of the rule's quantity at a point.
    struct Command: Sendable {
        let rule: RuleSet
        let point: PointID
        /// The place of the point.
        let place: Place
        let device: DeviceID
        /// The value, or its change if the rule is one of change.
        var value: Double
        /// How long the values have been beyond the limit, in seconds; 0 for the first of them.
        var beyondSeconds = 0.0
        /// How many of the reports that the rule counts are beyond the limit.
        var beyondReports = 0
        /// The goods that the rule protects; nil for a rule of the place itself.
        var goods: StoredGoods?
    }

    struct State: Sendable, Equatable {
        var isOn = false
    }

    /// No command is refused.
    typealias Refusal = Never

    static let initial = State()

    static func evolve(_ state: inout State, with fact: SensorsEvent) {
        switch fact {
        case .alarmRaised: state.isOn = true
        case .alarmCleared: state.isOn = false
        case .measured, .rawReported, .reportHeard, .beaconHeard, .quarantined, .pointBound, .ruleSet,
            .deviceIdentified,
            .valuesRefused, .advertKept, .advertDecoded, .alarmNotificationRequested, .alarmAcknowledged,
            .alarmShelved, .onCallSet,
            .deviceCalibrated, .pointRetired, .networkFormed, .joiningPermitted, .deviceJoined, .deviceInterviewed,
            .deviceRemoved, .deviceLeft,
            .beaconRegionSet, .beaconRegionRemoved, .beaconRegionEntered, .beaconRegionLeft:
            break
        }
    }

    static func decide(_ command: Command, in state: State) -> [SensorsEvent] {
        let rule = command.rule
        if !state.isOn {
            guard rule.enabled, let limit = rule.limit(exceededBy: command.value),
                command.beyondSeconds >= Double(rule.forSeconds ?? 0),
                command.beyondReports >= rule.reports?.beyond ?? 0
            else { return [] }
            return [
                .alarmRaised(
                    AlarmRaised(
                        rule: rule.rule, point: command.point, place: command.place, device: command.device,
                        quantity: rule.quantity, value: command.value, limit: limit, goods: command.goods?.title,
                        lots: command.goods?.lots ?? [], urgent: rule.urgent, overMinutes: rule.overMinutes))
            ]
        }
        guard !rule.enabled || isWellInside(command.value, rule) else { return [] }
        return [
            .alarmCleared(
                AlarmCleared(
                    rule: rule.rule, point: command.point, place: command.place, device: command.device,
                    quantity: rule.quantity, value: command.value))
        ]
    }

    private static func isWellInside(_ value: Double, _ rule: RuleSet) -> Bool {
        let hysteresis = min(rule.hysteresis, rule.widestHysteresis)
        return (rule.above.map { value <= $0 - hysteresis } ?? true)
            && (rule.below.map { value >= $0 + hysteresis } ?? true)
    }
}

extension RuleSet {
    /// Returns the limit that a value is beyond; nil if it is within both.
    func limit(exceededBy value: Double) -> Double? {
        if let above, value > above { return above }
        if let below, value < below { return below }
        return nil
    }

    /// The widest hysteresis in use: a quarter of the range within the limits, as far as the quantity has such values.
    ///
    /// With a wider one no value would be far enough inside to clear the alarm. Rules in older journals may have one.
    var widestHysteresis: Double {
        // A value that does not change is inside every limit of change.
        if isOfChange { return max(0, ((above ?? 0) - (below ?? 0)) / 4) }
        return max(0, ((above ?? quantity.possible.upperBound) - (below ?? quantity.possible.lowerBound)) / 4)
    }
}
