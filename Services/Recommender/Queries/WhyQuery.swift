import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The query for why a product is suggested to a person: the reason, and the person's own orders behind it.
struct WhyQuery {
    let context: SuggestionContext

    func answer(_ body: RequestBody) throws(Problem) -> Response {
        let (person, product): (PersonID, ProductID) = (try body.get("person"), try body.get("product"))
        guard let row = context.memory.shop.products[product], row.isListed else {
            throw Problem(404, "unknown-product", "There is no product \(product).")
        }
        let builder = context.builder(for: person, most: 1)
        let items = builder.items([row.number], for: person)
        let source = builder.source(of: row.number, for: person)
        let behind = source.map { orders(of: person, with: $0) } ?? []
        return .made { json in
            for item in items { context.write(item, &json) }
            json.field("from", ifPresent: source)
            json.field(
                "orders",
                array: { json in
                    for order in behind {
                        json.object { json in
                            json.field("order", order.key)
                            json.field("placed", order.placed)
                        }
                    }
                })
        }
    }

    /// Returns the person's newest orders with a product that were not cancelled.
    private func orders(of person: PersonID, with product: ProductID) -> [PurchaseRow] {
        let rows = context.tables.find(
            PurchaseRow.self, where: "buyer", is: person.rawValue, limit: RecommenderLimits.rows)
        let meant = rows.filter { row in
            row.state != .cancelled && !row.key.hasPrefix(FeedbackViews.prefix)
                && row.products.contains(product)
        }
        return Array(meant.sorted { ($1.placed, $1.key) < ($0.placed, $0.key) }.prefix(RecommenderLimits.whyOrders))
    }
}
