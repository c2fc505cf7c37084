import EventSourcing
import Events
import Vocabulary

/// Open alarms that no report can clear, because their rule is no longer evaluated at their point.
struct OrphanedAlarms {
    let tables: any Tables

    /// Returns the events that clear them once `change` is in force: a point that is bound or retired, or a rule that
    /// is set.
    func clearings(after change: SensorsEvent? = nil, by actor: Actor) -> [Draft] {
        let bound: PointBound? = if case .pointBound(let event) = change { event } else { nil }
        let retired: PointID? = if case .pointRetired(let event) = change { event.point } else { nil }
        let set: RuleSet? = if case .ruleSet(let event) = change { event } else { nil }
        // No paging: the open alarms are at most the points beyond a limit, times their rules.
        return tables.find(AlarmRow.self, where: "state", is: AlarmRow.on, limit: .max).compactMap { alarm in
            let point =
                bound?.point == alarm.point
                ? bound.map(PointRow.init) : alarm.point == retired ? nil : self.point(alarm.point)
            let rules = point.map { PointRules(tables, with: set).rules(of: alarm.point, at: $0.place) } ?? []
            guard !alarm.isEvaluated(at: point, by: rules) else { return nil }
            return Draft(alarm.clearing, in: alarm.stream, by: actor)
        }
    }

    private func point(_ point: PointID) -> PointRow? {
        tables.get(PointRow.self, point.rawValue)
    }
}

extension AlarmRow {
    /// Whether reports of the point are still evaluated against the rule at the place where the alarm was raised.
    fileprivate func isEvaluated(at point: PointRow?, by rules: [RuleSet]) -> Bool {
        // A point that was unbound or moved is no longer watched; the watch itself follows the rules.
        if quantity == .silence { return point?.device != nil && point?.place == place }
        // These depend on the goods in the store, and on all devices of a receiver.
        if quantity == .goodsConflict || quantity == .reception { return true }
        guard let point, point.device != nil, point.place == place else { return false }
        return rules.contains {
            $0.rule == rule && $0.enabled && $0.quantity == quantity && $0.overMinutes == overMinutes
        }
    }

    /// The event that clears the alarm. It repeats the value that raised it, because no later value was evaluated.
    fileprivate var clearing: AlarmCleared {
        AlarmCleared(rule: rule, point: point, place: place, device: device, quantity: quantity, value: value)
    }
}
