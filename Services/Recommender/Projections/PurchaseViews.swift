import EventSourcing
import Events
import Vocabulary

/// Stores the purchases of the orders' records, and of imported orders.
enum PurchaseViews {
    static func apply(_ fact: OrdersEvent, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .orderRecordChanged(let event): store(event, tables)
        case .orderImported(let event): bring(event, at: envelope.time, tables)
        case .cartHeld, .cartReleased, .orderPlaced, .orderChanged, .orderCancelled, .orderCollected, .orderRefunded,
            .orderRecalled, .paymentRequested, .paymentOpened, .paymentAuthorized, .paymentCaptured, .paymentFailed,
            .paymentVoided, .paymentRefunded:
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

    private static func store(_ event: OrderRecordChanged, _ tables: some Tables) {
        let record = event.record
        let isErased = tables.get(RecommenderErasedRow.self, event.buyer.rawValue) != nil
        for line in record.lines { _ = ShopViews.product(line.product, tables) }
        var row = PurchaseRow(
            record.order, by: isErased ? nil : event.buyer, at: record.placed, record.lines.map(\.product),
            pickup: record.pickup)
        row.state = record.state
        guard row != tables.get(PurchaseRow.self, row.key) else { return }
        put(row, tables)
    }

    private static func bring(_ event: OrderImported, at time: Instant, _ tables: some Tables) {
        guard tables.get(RecommenderErasedRow.self, event.buyer.rawValue) == nil else { return }
        for line in event.lines { _ = ShopViews.product(line.product, tables) }
        var row = PurchaseRow(event.order, by: event.buyer, at: time, event.lines.map(\.product))
        row.state = .collected
        put(row, tables)
    }

    /// Stores an order that is new or differs from the one that is stored.
    private static func put(_ row: PurchaseRow, _ tables: some Tables) {
        tables.put(row)
        if let buyer = row.buyer { PicksOutcomes.update(buyer, tables) }
    }
}
