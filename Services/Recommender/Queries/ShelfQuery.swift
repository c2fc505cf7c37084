import EventSourcing
import Host
import JSON
import Vocabulary
import Wire

/// The query for the shelves of suggestions.
struct ShelfQuery {
    let memory: ModelState
    let model: Model?
    /// Whether the model reflects all consumed events.
    let isModelCurrent: Bool
    let tables: any Tables
    let now: Instant

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
        let shop = memory.shop
        let streams = Set(tables.blockedStreams)
        let chosen = Set((cart ?? []).compactMap { shop.products[$0]?.number })
        let builder = ShelfBuilder(
            shoppers: memory.shoppers, names: shop.names, model: model, newest: shop.newest,
            title: { shop.title(of: $0) }, most: most,
            isOffered: { number in
                !chosen.contains(number) && shop.isInStock(number, at: now, holding: streams, seeing: tables)
            })
        let shelves = builder.shelves(for: person, cart: chosen.sorted())
        let position = tables.get(FeedCheckpointRow.self, "hub")?.checkpoint.position ?? 0
        return .made { json in
            json.field("person", ifPresent: person)
            json.field("hubPosition", position)
            if let model {
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
        json.field("items", array: { json in for item in shelf.items { json.object { write(item, &$0) } } })
    }

    private func write(_ item: Shelf.Item, _ json: inout JSONWriter) {
        let row = memory.shop.products[item.product]
        json.field("product", item.product)
        json.field("title", memory.shop.title(of: item.product))
        json.field("unit", ifPresent: row?.unit)
        json.field("because", item.reason.word)
        json.field("reason", item.reason.sentence)
        json.field("last", ifPresent: item.last)
    }
}
