import EventSourcing
import Events
import Vocabulary

/// Open alarms that no report can clear any more, because nobody holds their point against their rule.
struct OrphanedAlarms {
    let tables: any Tables

    /// What ends them, as things stand once `change` is in force: a point that is bound or a rule that is set.
    func clearings(after change: SensorsEvent? = nil, by actor: Actor) -> [Draft] {
        let bound: PointBound? = if case .pointBound(let event) = change { event } else { nil }
        let set: RuleSet? = if case .ruleSet(let event) = change { event } else { nil }
        // Open ones are as many as there are points beyond a limit.
        return tables.find(AlarmRow.self, where: "state", is: AlarmRow.on, limit: .max).compactMap { alarm in
            let point = bound?.point == alarm.point ? bound.map(PointRow.init) : self.point(alarm.point)
            let rule = set?.rule == alarm.rule ? set : self.rule(alarm.rule)
            guard !alarm.isWatched(at: point, by: rule) else { return nil }
            return Draft(alarm.clearing, in: "alarm/\(alarm.rule)/\(alarm.point)", by: actor)
        }
    }

    private func point(_ point: PointID) -> PointRow? {
        tables.get(PointRow.self, point.rawValue)
    }

    private func rule(_ rule: RuleID) -> RuleSet? {
        guard let place = tables.get(RulePlaceRow.self, rule.rawValue)?.place else { return nil }
        return tables.get(PlaceRulesRow.self, place.description)?.rules.first { $0.rule == rule }
    }
}

extension AlarmRow {
    /// Whether reports of the point are still held against the rule where the alarm was raised.
    fileprivate func isWatched(at point: PointRow?, by rule: RuleSet?) -> Bool {
        guard let point, let rule, point.device != nil, rule.enabled else { return false }
        return point.place == place && rule.place == place && rule.quantity == quantity
    }

    /// No newer value was judged than the one that raised it.
    fileprivate var clearing: AlarmCleared {
        AlarmCleared(rule: rule, point: point, place: place, device: device, quantity: quantity, value: value)
    }
}
