import EventSourcing
import Vocabulary
import Wire

/// The answer to a query for the shelves of suggestions.
struct Shelves {
    let context: SuggestionContext
    /// Whether the model reflects all consumed events.
    let isModelCurrent: Bool

    func answer(_ query: ShelvesQuery) throws(Problem) -> ShelvesResponse {
        let cart = query.with?.split(separator: ",").map { ProductID(String($0)) } ?? []
        guard cart.count <= RecommenderLimits.cartItems else {
            throw Problem(400, "malformed", "with: name \(RecommenderLimits.cartItems) products at most.")
        }
        let person = query.person.map { PersonID($0) }
        let chosen = Set(cart.compactMap { context.memory.shop.products[$0]?.number })
        let builder = context.builder(
            for: person, most: query.limit ?? RecommenderLimits.shelfItems, without: chosen)
        let position = context.position
        return ShelvesResponse(
            person: person, hubPosition: position,
            model: context.model.map { model in
                ModelSummary(
                    hubPosition: isModelCurrent ? position : model.position, products: model.products.count,
                    digest: Hex.encode(model.digest))
            },
            shelves: builder.shelves(for: person, cart: chosen.sorted()).map { shelf in
                ShelfResponse(
                    shelf: shelf.kind, title: shelf.kind.title, items: shelf.items.map(context.suggestion))
            })
    }
}
