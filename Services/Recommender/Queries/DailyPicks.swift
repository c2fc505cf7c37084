import EventSourcing
import Events
import Host
import Vocabulary
import Wire

/// The answer to a query for a person's picks of a day.
///
/// The first query of a day chooses them, and an event records the choice. Every later one returns the same products.
struct DailyPicks {
    let context: SuggestionContext
    let query: PicksQuery

    /// Returns the effect that responds, after the choice is stored if this is the first request of the day.
    func answer(_ request: Request) -> Effect {
        let (person, day) = (query.person, query.day)
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
        let builder = context.builder(for: query.person, most: RecommenderLimits.picks)
        let items = builder.items(numbers, for: query.person).map(context.suggestion)
        return .made(PicksResponse(day: query.day, until: query.until, items: items))
    }
}
