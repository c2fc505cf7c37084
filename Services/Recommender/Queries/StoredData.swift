import EventSourcing
import Events
import Host
import Vocabulary
import Wire

/// The answer to a query for what is stored about the caller, beside the orders that the market stores.
struct StoredData {
    let context: SuggestionContext

    func answer(_ request: Request) throws(Problem) -> RecommenderExport {
        guard let person = request.actor.person else {
            throw Problem(403, "not-a-person", "Only a person has data here.")
        }
        let tables = context.tables
        let picks = tables.find(
            PicksOutcomeRow.self, where: "person", is: person.rawValue, limit: RecommenderLimits.rows)
        let feedback = tables.find(
            FeedbackRow.self, where: "person", is: person.rawValue, limit: RecommenderLimits.rows)
        return RecommenderExport(
            viewed: (tables.get(ViewedRow.self, person.rawValue)?.views ?? []).map { view in
                ExportedView(product: view.product, at: view.at)
            },
            picks: picks.map { ExportedPicks(day: $0.day, model: $0.model, products: $0.picks.map(\.product)) },
            feedback: feedback.map { ExportedFeedback(product: $0.product, kind: $0.kind, at: $0.at) })
    }
}
