import EventSourcing
import Host
import JSON
import Vocabulary
import Wire

/// The query for the shelves of suggestions.
struct ShelfQuery {
    let context: SuggestionContext
    /// Whether the model reflects all consumed events.
    let isModelCurrent: Bool

    /// Returns the shelves for the request.
    ///
    /// In the body, `person` is the shopper, or absent for an anonymous visitor. `with` lists the products in the cart,
    /// separated by commas.
    func answer(_ body: RequestBody) throws(Problem) -> Response {
        let person = try body.optionalText("person").map { PersonID($0) }
        let most = try body.find("limit", as: Int.self) ?? RecommenderLimits.shelfItems
        guard (1...RecommenderLimits.shelfItemsAtMost).contains(most) else {
            throw Problem(400, "malformed", "limit: use 1 to \(RecommenderLimits.shelfItemsAtMost).")
        }
        let cart = try body.optionalText("with", limit: RecommenderLimits.cartBytes).map {
            $0.split(separator: ",").map { ProductID(String($0)) }
        }
        guard (cart?.count ?? 0) <= RecommenderLimits.cartItems else {
            throw Problem(400, "malformed", "with: name \(RecommenderLimits.cartItems) products at most.")
        }
        let chosen = Set((cart ?? []).compactMap { context.memory.shop.products[$0]?.number })
        let shelves = context.builder(for: person, most: most, without: chosen).shelves(
            for: person, cart: chosen.sorted())
        let position = context.position
        return .made { json in
            json.field("person", ifPresent: person)
            json.field("hubPosition", position)
            if let model = context.model {
                json.field("model", object: { write(model, reaching: isModelCurrent ? position : model.position, &$0) })
            }
            json.field("shelves", array: { json in for shelf in shelves { json.object { write(shelf, &$0) } } })
        }
    }

    private func write(_ model: Model, reaching position: Position, _ json: inout JSONWriter) {
        json.field("hubPosition", position)
        json.field("products", model.products.count)
        json.field("digest", Hex.encode(model.digest))
    }

    private func write(_ shelf: Shelf, _ json: inout JSONWriter) {
        json.field("shelf", shelf.kind.rawValue)
        json.field("title", shelf.kind.title)
        json.field("items", array: { json in for item in shelf.items { json.object { context.write(item, &$0) } } })
    }
}
