import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The query for what is stored about the caller, beside the orders that the market stores.
struct PersonQuery {
    let context: SuggestionContext

    func answer(_ request: Request) throws(Problem) -> Response {
        guard let person = request.actor.person else {
            throw Problem(403, "not-a-person", "Only a person has data here.")
        }
        let tables = context.tables
        let viewed = tables.get(ViewedRow.self, person.rawValue)?.views ?? []
        let picks = tables.find(
            PicksOutcomeRow.self, where: "person", is: person.rawValue, limit: RecommenderLimits.rows)
        let feedback = tables.find(
            FeedbackRow.self, where: "person", is: person.rawValue, limit: RecommenderLimits.rows)
        return .made { json in
            json.field(
                "viewed",
                array: { json in
                    for view in viewed {
                        json.object { json in
                            json.field("product", view.product)
                            json.field("at", view.at)
                        }
                    }
                })
            json.field(
                "picks",
                array: { json in
                    for day in picks {
                        json.object { json in
                            json.field("day", day.day)
                            json.field("model", day.model.rawValue)
                            json.field("products", day.picks.map(\.product))
                        }
                    }
                })
            json.field(
                "feedback",
                array: { json in
                    for one in feedback {
                        json.object { json in
                            json.field("product", one.product)
                            json.field("kind", one.kind)
                            json.field("at", one.at)
                        }
                    }
                })
        }
    }
}
