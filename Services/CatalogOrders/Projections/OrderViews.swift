import EventSourcing
import Events
import Vocabulary

/// The projection of order events into the tables of carts, orders and payments, and of the stock that they take.
enum OrderViews {
    static func apply(_ fact: OrdersEvent, _ envelope: Envelope, to tables: some Tables) {
        project(fact, envelope, tables)
        if case .orderRecordChanged(let event) = fact {
            tables.remove(UnpublishedOrderRow.self, event.record.order.rawValue)
        } else if let order = fact.order, let buyer = tables.get(OrderRow.self, order.rawValue)?.state.placed?.buyer,
            tables.get(ErasedRow.self, buyer.rawValue) == nil
        {
            tables.put(UnpublishedOrderRow(order))
        }
    }

    /// Ensures that no further records of a person's orders are published: the person was erased.
    static func withdrawRecords(of person: PersonID, _ tables: some Tables) {
        for row in tables.find(OrderRow.self, where: "buyer", is: person.rawValue, limit: .max) {
            tables.remove(UnpublishedOrderRow.self, row.key)
        }
    }

    private static func project(_ fact: OrdersEvent, _ envelope: Envelope, _ tables: some Tables) {
        switch fact {
        case .cartHeld(let event):
            release(event.buyer, tables)
            tables.put(CartRow(event))
            tables.put(ExpiryRow(.cart(event.buyer), at: event.until))
            move(event.lines, tables) { .held($0) }
        case .cartReleased(let event): release(event.buyer, tables)
        case .orderPlaced(let event):
            tables.put(OrderRow(event, at: envelope.time))
            if let until = event.until { tables.put(ExpiryRow(.order(event.order), at: until)) }
            take(event.order, event.lines, tables)
            PromotionViews.bought(event.lines, by: event.buyer, at: envelope.time, tables)
        case .orderChanged(let event):
            guard let row = tables.get(OrderRow.self, event.order.rawValue) else { return }
            giveBack(event.order, row.state.lines, tables) { .returned($0) }
            take(event.order, event.lines, tables)
            evolve(event.order, fact, tables)
        case .orderCancelled(let event):
            end(event.order, fact, tables) { .returned($0) }
        case .orderCollected(let event):
            let lots = tables.get(OrderRow.self, event.order.rawValue)?.state.lines.boxes ?? []
            end(event.order, fact, tables) { .collected($0) }
            // A collected order can still be affected by a recall.
            for (lot, boxes) in lots {
                tables.put(LotOrderRow(lot, event.order, boxes: boxes, isCollected: true))
            }
        case .orderRefunded(let event):
            evolve(event.order, fact, tables)
        case .paymentRequested(let event): tables.put(PaymentRow(event))
        case .paymentOpened(let event): evolve(event.payment, fact, tables)
        case .paymentAuthorized(let event): evolve(event.payment, fact, tables)
        case .paymentCaptured(let event):
            evolve(event.payment, fact, tables)
            evolve(event.order, fact, tables)
            settle(event.order, tables)
        case .paymentFailed(let event): evolve(event.payment, fact, tables)
        case .paymentVoided(let event): evolve(event.payment, fact, tables)
        case .paymentRefunded(let event): evolve(event.payment, fact, tables)
        // The sync gateway notifies the buyer, too.
        case .orderRecalled(let event): evolve(event.order, fact, tables)
        // Imported orders have no state here: they were collected and paid elsewhere.
        case .orderImported, .orderRecordChanged: break
        }
    }

    private static func release(_ buyer: PersonID, _ tables: some Tables) {
        guard let cart = tables.get(CartRow.self, buyer.rawValue) else { return }
        tables.remove(CartRow.self, cart.key)
        tables.remove(ExpiryRow.self, ExpiryRow.key(.cart(buyer), at: cart.until))
        move(cart.lines, tables) { .released($0) }
    }

    private static func take(_ order: OrderID, _ lines: [OrderLine], _ tables: some Tables) {
        move(lines, tables) { .ordered($0) }
        for (lot, boxes) in lines.boxes { tables.put(LotOrderRow(lot, order, boxes: boxes)) }
    }

    private static func giveBack(
        _ order: OrderID, _ lines: [OrderLine], _ tables: some Tables, _ movement: (Int) -> Stock.Movement
    ) {
        move(lines, tables, movement)
        for (lot, _) in lines.boxes { tables.remove(LotOrderRow.self, LotOrderRow.key(lot, order)) }
    }

    /// Removes the expiry of an order that is collected, cancelled or paid.
    private static func settle(_ order: OrderID, _ tables: some Tables) {
        guard let until = tables.get(OrderRow.self, order.rawValue)?.state.placed?.until else { return }
        tables.remove(ExpiryRow.self, ExpiryRow.key(.order(order), at: until))
    }

    private static func end(
        _ order: OrderID, _ fact: OrdersEvent, _ tables: some Tables, _ movement: (Int) -> Stock.Movement
    ) {
        guard let row = tables.get(OrderRow.self, order.rawValue) else { return }
        giveBack(order, row.state.lines, tables, movement)
        evolve(order, fact, tables)
        settle(order, tables)
    }

    private static func move(
        _ lines: [OrderLine], _ tables: some Tables, _ movement: (Int) -> Stock.Movement
    ) {
        for (lot, boxes) in lines.boxes { CatalogViews.move(lot, movement(boxes), tables) }
    }

    private static func evolve(_ order: OrderID, _ fact: OrdersEvent, _ tables: some Tables) {
        CatalogViews.change(OrderRow.self, order.rawValue, tables) { $0.apply(fact) }
    }

    private static func evolve(_ payment: PaymentID, _ fact: OrdersEvent, _ tables: some Tables) {
        CatalogViews.change(PaymentRow.self, payment.rawValue, tables) { Payment.evolve(&$0.state, with: fact) }
    }
}
