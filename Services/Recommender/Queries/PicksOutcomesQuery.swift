import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The query for what came of the picks of each model: how many people ordered one of them within a week.
struct PicksOutcomesQuery {
    let context: SuggestionContext

    /// The sums of a model over all its days.
    private struct Total {
        let model: PicksModel
        let days: [PicksCountRow]

        var ordering: Proportion? { Proportion(sum(\.ordering), of: sum(\.people)) }

        func sum(_ member: KeyPath<PicksCountRow, Int>) -> Int { days.reduce(0) { $0 + $1[keyPath: member] } }

        /// The share of the candidates that would be ordered if all were shown: each pick weighs the inverse of the
        /// probability with which it was drawn (self-normalised inverse propensity scoring).
        var orderedOfCandidates: Double? {
            let weight = sum(\.weight)
            return weight == 0 ? nil : Double(sum(\.orderedWeight)) / Double(weight)
        }
    }

    func answer() -> Response {
        let rows = context.tables.scan(
            PicksCountRow.self, prefix: "", after: nil, limit: RecommenderLimits.outcomeRows)
        let totals = PicksModel.allCases.map { model in
            Total(model: model, days: rows.filter { $0.model == model })
        }
        let (learnt, habit) = (totals.first { $0.model == .learnt }, totals.first { $0.model == .habit })
        let difference = learnt?.ordering.flatMap { mine in habit?.ordering.map { mine.difference(from: $0) } }
        return .made { json in
            json.field("models", array: { json in for total in totals { json.object { write(total, &$0) } } })
            if let difference { json.field("difference", object: { write(difference, &$0) }) }
        }
    }

    private func write(_ total: Total, _ json: inout JSONWriter) {
        json.field("model", total.model.rawValue)
        json.field("people", total.sum(\.people))
        json.field("ordering", total.sum(\.ordering))
        json.field("picks", total.sum(\.picks))
        json.field("ordered", total.sum(\.ordered))
        if let share = total.ordering { json.field("share", object: { write(share, &$0) }) }
        json.field("orderedOfCandidates", ifPresent: total.orderedOfCandidates)
        json.field(
            "weeks",
            array: { json in
                for (monday, days) in Dictionary(grouping: total.days, by: \.monday).sorted(by: { $0.key < $1.key }) {
                    let week = Total(model: total.model, days: days)
                    json.object { json in
                        json.field("from", monday)
                        json.field("people", week.sum(\.people))
                        json.field("ordering", week.sum(\.ordering))
                        if let share = week.ordering { json.field("share", object: { write(share, &$0) }) }
                    }
                }
            })
    }

    private func write(_ proportion: Proportion, _ json: inout JSONWriter) {
        json.field("share", proportion.share)
        json.field("low", proportion.low)
        json.field("high", proportion.high)
    }
}
