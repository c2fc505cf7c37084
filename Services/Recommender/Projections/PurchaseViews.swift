import EventSourcing
import Events
import Vocabulary

/// The projection of cart and order events into purchases and reserved boxes.
enum PurchaseViews {
    static func apply(_ fact: OrdersEvent, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .cartHeld(let event):
            release(event.buyer, tables)
            let lines = event.lines.map { PurchaseLine($0) }
            tables.put(HoldRow(event.buyer, lines))
            take(lines, tables) { $0.held += $1 }
        case .cartReleased(let event): release(event.buyer, tables)
        case .orderPlaced(let event): place(event, at: envelope.time, tables)
        case .orderChanged(let event):
            guard var row = tables.get(PurchaseRow.self, event.order.rawValue), row.state == .placed else { return }
            take(row.lines, tables) { $0.ordered -= $1 }
            row.lines = lines(event.lines, tables)
            row.pickup = event.pickup
            take(row.lines, tables) { $0.ordered += $1 }
            put(row, tables)
        case .orderCancelled(let event):
            guard var row = tables.get(PurchaseRow.self, event.order.rawValue), row.state == .placed else { return }
            take(row.lines, tables) { $0.ordered -= $1 }
            row.state = .cancelled
            put(row, tables)
        case .orderCollected(let event):
            guard var row = tables.get(PurchaseRow.self, event.order.rawValue), row.state == .placed else { return }
            take(row.lines, tables) {
                $0.ordered -= $1
                $0.boxes -= $1
            }
            row.state = .collected
            tables.put(row)
        case .orderImported(let event): bring(event, at: envelope.time, tables)
        case .orderRefunded, .orderRecalled, .paymentRequested, .paymentOpened, .paymentAuthorized, .paymentCaptured,
            .paymentFailed, .paymentVoided, .paymentRefunded:
            break
        }
    }

    /// Removes the buyer from all orders of an erased person. Boxes that are not collected remain reserved.
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
        let lines = lines(event.lines, tables)
        put(PurchaseRow(event.order, by: isErased ? nil : event.buyer, at: time, lines, pickup: event.pickup), tables)
        take(lines, tables) { $0.ordered += $1 }
    }

    private static func bring(_ event: OrderImported, at time: Instant, _ tables: some Tables) {
        guard tables.get(RecommenderErasedRow.self, event.buyer.rawValue) == nil else { return }
        for line in event.lines { _ = ShopViews.product(line.product, tables) }
        var row = PurchaseRow(
            event.order, by: event.buyer, at: time, event.lines.map { PurchaseLine($0.product, lot: nil, boxes: 0) })
        row.state = .collected
        put(row, tables)
    }

    /// Stores an order whose products are new, changed or cancelled.
    private static func put(_ row: PurchaseRow, _ tables: some Tables) {
        tables.put(row)
        if let buyer = row.buyer { PicksOutcomes.update(buyer, tables) }
    }

    /// Returns the lines as purchase lines, and gives each new product a number.
    private static func lines(_ lines: [OrderLine], _ tables: some Tables) -> [PurchaseLine] {
        for line in lines { _ = ShopViews.product(line.product, tables) }
        return lines.map { PurchaseLine($0) }
    }

    private static func release(_ buyer: PersonID, _ tables: some Tables) {
        guard let hold = tables.get(HoldRow.self, buyer.rawValue) else { return }
        take(hold.lines, tables) { $0.held -= $1 }
        tables.remove(HoldRow.self, buyer.rawValue)
    }

    private static func take(
        _ lines: [PurchaseLine], _ tables: some Tables, _ change: (inout RecommenderLotRow, Int) -> Void
    ) {
        for line in lines {
            guard let lot = line.lot, line.boxes != 0 else { continue }
            ShopViews.change(lot, tables) { change(&$0, line.boxes) }
        }
    }
}
