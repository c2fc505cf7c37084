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
            // A limit of batteries takes the place of the one that needs no setting.
            let isReplaced = alarm.rule == BatteryLimit.rule && set?.quantity == .battery && set?.place == alarm.place
            let rule = set?.rule == alarm.rule || isReplaced ? set : rule(alarm.rule, at: alarm.place)
            guard !alarm.isEvaluated(at: point, by: rule) else { return nil }
            return Draft(alarm.clearing, in: alarm.stream, by: actor)
        }
    }

    private func point(_ point: PointID) -> PointRow? {
        tables.get(PointRow.self, point.rawValue)
    }

    private func rule(_ rule: RuleID, at place: Place) -> RuleSet? {
        let set = tables.get(PlaceRulesRow.self, place.description)?.rules ?? []
        return BatteryLimit.rules(set, at: place).first { $0.rule == rule }
    }
}

extension AlarmRow {
    /// Whether reports of the point are still evaluated against the rule at the place where the alarm was raised.
    fileprivate func isEvaluated(at point: PointRow?, by rule: RuleSet?) -> Bool {
        // A point that was unbound or moved is no longer watched; the watch itself follows the rules.
        if quantity == .silence { return point?.device != nil && point?.place == place }
        // The alarm depends on the goods in the store, not on reports.
        if quantity == .goodsConflict { return true }
        guard let point, let rule, point.device != nil, rule.enabled else { return false }
        return point.place == place && rule.place == place && rule.quantity == quantity && rule.rule == self.rule
    }

    /// The event that clears the alarm. It repeats the value that raised it, because no later value was evaluated.
    fileprivate var clearing: AlarmCleared {
        AlarmCleared(rule: rule, point: point, place: place, device: device, quantity: quantity, value: value)
    }
}
