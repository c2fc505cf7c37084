import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The answer to a query for what came of the picks of each model: how many people ordered one of them within a week.
struct OutcomesByModel {
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

    func answer() -> PicksOutcomesResponse {
        let rows = context.tables.scan(
            PicksCountRow.self, prefix: "", after: nil, limit: RecommenderLimits.outcomeRows)
        let totals = PicksModel.allCases.map { model in
            Total(model: model, days: rows.filter { $0.model == model })
        }
        let (learnt, habit) = (totals.first { $0.model == .learnt }, totals.first { $0.model == .habit })
        let difference = learnt?.ordering.flatMap { mine in habit?.ordering.map { mine.difference(from: $0) } }
        return PicksOutcomesResponse(models: totals.map(outcomes), difference: difference)
    }

    private func outcomes(_ total: Total) -> ModelOutcomes {
        let weeks = Dictionary(grouping: total.days, by: \.monday).sorted { $0.key < $1.key }
        return ModelOutcomes(
            model: total.model, people: total.sum(\.people), ordering: total.sum(\.ordering),
            picks: total.sum(\.picks), ordered: total.sum(\.ordered), share: total.ordering,
            orderedOfCandidates: total.orderedOfCandidates,
            weeks: weeks.map { monday, days in
                let week = Total(model: total.model, days: days)
                return WeekOutcomes(
                    from: monday, people: week.sum(\.people), ordering: week.sum(\.ordering), share: week.ordering)
            })
    }
}
