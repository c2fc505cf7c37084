import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The command that imports past orders from another shop.
extension MarketCommands {
    /// Imports a batch of orders that were placed and collected elsewhere.
    ///
    /// Each event has an identifier derived from the order's name, so an order is recorded only once.
    func importOrders(_ command: ImportOrders) throws(Problem) -> Outcome {
        var drafts: [Draft] = []
        var listed: Set<ProductID> = []
        for order in command.orders { drafts.append(try draft(order, &listed)) }
        return (drafts, .made(201) { $0.field("orders", drafts.count) })
    }

    /// Returns the event of an order.
    ///
    /// - Parameter listed: products that are known to be listed, because orders of one batch name the same ones.
    private func draft(_ order: ImportedOrder, _ listed: inout Set<ProductID>) throws(Problem) -> Draft {
        let name = order.order
        guard RequestBody.isName(name.rawValue) else {
            throw Problem(400, "malformed", "order: use 1 to 40 letters, digits, hyphens or underscores, not \(name).")
        }
        // The log is permanent, so it holds a pseudonym. Only the other shop can link it to a person.
        let buyer = order.buyer.rawValue
        guard UUID(buyer)?.description == buyer else {
            throw Problem(
                400, "malformed",
                "Order \(name): buyer has to be a UUID in lower case, for the log must not name anybody; "
                    + "give each buyer one of their own.")
        }
        guard tables.get(OrderRow.self, name.rawValue) == nil else {
            throw Problem(409, "known", "There is an order \(name) of this shop.")
        }
        guard order.placed <= now else { throw Problem(422, "future", "Order \(name) was placed in the future.") }
        for line in order.lines where !listed.contains(line.product) {
            guard tables.get(ProductRow.self, line.product.rawValue) != nil else {
                throw Problem(404, "unknown-product", "Order \(name) names \(line.product), which is not listed here.")
            }
            listed.insert(line.product)
        }
        return Draft(
            OrderImported(order: name, buyer: order.buyer, lines: order.lines), in: "order/\(name)",
            id: .named("order-imported|\(name)", in: .furrow), at: order.placed,
            by: ask.actor)
    }
}
