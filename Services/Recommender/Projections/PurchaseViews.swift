import EventSourcing
import Events
import Vocabulary

/// The projection of order events into purchases.
enum PurchaseViews {
    static func apply(_ fact: OrdersEvent, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .orderPlaced(let event): place(event, at: envelope.time, tables)
        case .orderChanged(let event):
            guard var row = tables.get(PurchaseRow.self, event.order.rawValue), row.state == .placed else { return }
            row.products = products(of: event.lines, tables)
            row.pickup = event.pickup
            put(row, tables)
        case .orderCancelled(let event):
            guard var row = tables.get(PurchaseRow.self, event.order.rawValue), row.state == .placed else { return }
            row.state = .cancelled
            put(row, tables)
        case .orderCollected(let event):
            guard var row = tables.get(PurchaseRow.self, event.order.rawValue), row.state == .placed else { return }
            row.state = .collected
            tables.put(row)
        case .orderImported(let event): bring(event, at: envelope.time, tables)
        case .cartHeld, .cartReleased, .orderRefunded, .orderRecalled, .paymentRequested, .paymentOpened,
            .paymentAuthorized, .paymentCaptured,
            .paymentFailed, .paymentVoided, .paymentRefunded:
            break
        }
    }

    /// Removes the buyer from all orders of an erased person.
    static func erase(_ person: PersonID, at time: Instant, _ tables: some Tables) {
        tables.put(RecommenderErasedRow(person, at: time))
        for var row in tables.find(PurchaseRow.self, where: "buyer", is: person.rawValue, limit: RecommenderLimits.rows)
        {
            row.buyer = nil
            tables.put(row)
        }
    }

    private static func place(_ event: OrderPlaced, at time: Instant, _ tables: some Tables) {
        let isErased = tables.get(RecommenderErasedRow.self, event.buyer.rawValue) != nil
        let products = products(of: event.lines, tables)
        put(
            PurchaseRow(event.order, by: isErased ? nil : event.buyer, at: time, products, pickup: event.pickup), tables
        )
    }

    private static func bring(_ event: OrderImported, at time: Instant, _ tables: some Tables) {
        guard tables.get(RecommenderErasedRow.self, event.buyer.rawValue) == nil else { return }
        for line in event.lines { _ = ShopViews.product(line.product, tables) }
        var row = PurchaseRow(event.order, by: event.buyer, at: time, event.lines.map(\.product))
        row.state = .collected
        put(row, tables)
    }

    /// Stores an order whose products are new, changed or cancelled.
    private static func put(_ row: PurchaseRow, _ tables: some Tables) {
        tables.put(row)
        if let buyer = row.buyer { PicksOutcomes.update(buyer, tables) }
    }

    /// Returns the product of each line, and gives each new product a number.
    private static func products(of lines: [OrderLine], _ tables: some Tables) -> [ProductID] {
        for line in lines { _ = ShopViews.product(line.product, tables) }
        return lines.map(\.product)
    }
}
