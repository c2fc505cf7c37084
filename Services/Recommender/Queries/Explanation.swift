import EventSourcing
import Events
import Vocabulary
import Wire

/// The answer to a query for why a product is suggested to a person: the reason, and the person's own orders behind it.
struct Explanation {
    let context: SuggestionContext

    func answer(_ query: WhyQuery) throws(Problem) -> WhyResponse {
        let builder = context.builder(for: query.person, most: 1)
        guard let row = context.memory.shop.products[query.product], row.isListed,
            let item = builder.items([row.number], for: query.person).first
        else {
            throw Problem(404, "unknown-product", "There is no product \(query.product).")
        }
        let source = builder.source(of: row.number, for: query.person)
        return WhyResponse(
            suggestion: context.suggestion(item), from: source,
            orders: (source.map { orders(of: query.person, with: $0) } ?? []).map { order in
                OrderBehind(order: order.key, placed: order.placed)
            })
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
