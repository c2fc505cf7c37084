import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The query for a person's picks of a day.
///
/// The first query of a day chooses them, and an event records the choice. Every later one returns the same products.
struct PicksQuery {
    let context: SuggestionContext
    let person: PersonID
    /// The calendar day of the farm: `2026-05-03`.
    let day: String
    /// The moment at which the day ends.
    let until: Instant

    init(_ context: SuggestionContext, _ body: RequestBody) throws(Problem) {
        self.context = context
        person = try body.get("person")
        day = try body.get("day")
        until = try body.get("until")
    }

    /// Returns the effect that responds, after the choice is stored if this is the first request of the day.
    func answer(_ request: Request) -> Effect {
        let stored = context.tables.get(PicksRow.self, person.rawValue)
        if let stored, stored.day == day { return .reply(request, response(stored.products)) }
        let builder = context.builder(for: person, most: RecommenderLimits.pickCandidates)
        let model = Picks.model(of: person)
        let (known, new) = builder.candidates(for: person, by: model)
        let picks = Picks(person: person, day: day).choose(from: known, and: new)
        let products = picks.map(\.product)
        // An empty shop may have products later on the same day.
        guard !products.isEmpty else { return .reply(request, response([])) }
        let event = PicksChosen(
            person: person, day: day, products: products, model: model, chances: picks.map(\.chance),
            position: context.position)
        let draft = Draft(event, in: "picks/\(person)", by: .service(Recommender.name))
        return .settle(request, [draft], response(products))
    }

    private func response(_ products: [ProductID]) -> Response {
        let numbers = products.compactMap { context.memory.shop.products[$0]?.number }
        let items = context.builder(for: person, most: RecommenderLimits.picks).items(numbers, for: person)
        return .made { json in
            json.field("day", day)
            json.field("until", until)
            json.field("items", array: { json in for item in items { json.object { context.write(item, &$0) } } })
        }
    }
}
