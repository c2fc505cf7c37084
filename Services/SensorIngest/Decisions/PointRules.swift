import EventSourcing
import Events
import Vocabulary

/// The alarm rules in force at a measuring point: those of its place, of the goods that are stored there, and its own.
///
/// A rule of the point replaces those of its place for the same quantity, also if it is disabled: so a shelf near the
/// door can have other limits than the store, or none. Rules of goods stay, because they protect the goods.
struct PointRules {
    private let tables: any Tables
    /// A rule that is being set; the tables do not contain it yet.
    private let change: RuleSet?

    init(_ tables: any Tables, with change: RuleSet? = nil) {
        self.tables = tables
        self.change = change
    }

    /// Returns the rules of a point, including the limit of batteries that needs no setting.
    func rules(of point: PointID, at place: Place) -> [RuleSet] {
        let own = rules(of: .point(point))
        let shared = rules(of: .place(place))
        guard !own.isEmpty else { return BatteryLimit.rules(shared, at: place) }
        let others = shared.filter { rule in
            rule.rule.isOfGoods || !own.contains { $0.quantity == rule.quantity && $0.isOfChange == rule.isOfChange }
        }
        return BatteryLimit.rules(others + own, at: place)
    }

    /// Returns the rules that are set for a place or point itself.
    private func rules(of scope: RuleScope) -> [RuleSet] {
        var rules = tables.get(ScopeRulesRow.self, scope.description)?.rules ?? []
        guard let change else { return rules }
        rules.removeAll { $0.rule == change.rule }
        if RuleScope(change) == scope { rules.append(change) }
        return rules
    }
}

/// What a rule is set for.
enum RuleScope: Hashable, CustomStringConvertible {
    case place(Place)
    case point(PointID)

    init(_ rule: RuleSet) {
        self = rule.point.map(Self.point) ?? .place(rule.place)
    }

    init?(_ text: String) {
        if let place = Place(text) {
            self = .place(place)
        } else if text.hasPrefix(Self.pointPrefix) {
            self = .point(PointID(String(text.dropFirst(Self.pointPrefix.count))))
        } else {
            return nil
        }
    }

    private static let pointPrefix = "point/"

    var description: String {
        switch self {
        case .place(let place): place.description
        case .point(let point): Self.pointPrefix + point.rawValue
        }
    }
}

extension RuleSet {
    /// Whether the limits apply to the change of the value, not to the value.
    var isOfChange: Bool { overMinutes != nil }
}
