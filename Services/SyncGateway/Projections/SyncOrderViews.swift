import EventSourcing
import Events
import JSON
import Vocabulary

/// Projects the buyers' own orders.
enum SyncOrderViews {
    static func apply(_ fact: OrdersEvent, _ envelope: Envelope, to board: SyncRecordWriter) {
        switch fact {
        case .orderPlaced(let event):
            board.tables.put(SyncBuyerRow(event.order, buyer: event.buyer))
            place(event, at: envelope.time, board)
        case .orderChanged(let event):
            change(
                event.order, board,
                [
                    ("lines", JSONAny(telling: event.lines)), ("total", JSONAny(telling: event.total)),
                    ("pickup", .string(event.pickup.rawValue)),
                ])
        case .orderCancelled(let event):
            change(
                event.order, board,
                [("state", .string("cancelled")), ("reason", .string(event.reason ?? event.why.rawValue))])
        case .orderCollected(let event): change(event.order, board, [("state", .string("collected"))])
        case .orderRefunded(let event): add(event.amount, to: "goesBack", of: event.order, board)
        case .paymentRequested(let event): pay(event.order, "requested", board)
        case .paymentOpened(let event): pay(event.order, "opened", page: event.page, board)
        case .paymentAuthorized(let event): pay(event.order, "authorized", board)
        case .paymentCaptured(let event):
            add(event.amount, to: "paid", of: event.order, board)
            pay(event.order, "captured", board)
        case .paymentFailed(let event): pay(event.order, "failed", board)
        case .paymentVoided(let event): pay(event.order, "voided", board)
        case .paymentRefunded(let event): add(event.amount, to: "refunded", of: event.order, board)
        case .orderRecalled(let event):
            change(event.order, event.buyer.rawValue, board, [("recalled", .string(event.reason))])
        case .cartHeld, .cartReleased, .orderImported: break
        }
    }

    /// Removes all records of an erased person.
    static func forget(_ person: PersonID, _ board: SyncRecordWriter) {
        board.forget(SyncViews.whose(person))
    }

    private static func place(_ event: OrderPlaced, at time: Instant, _ board: SyncRecordWriter) {
        board.put("orders", event.order.rawValue, of: SyncViews.whose(event.buyer)) { json in
            json.field("order", event.order)
            json.field("state", "placed")
            json.field("placed", time)
            json.field("lines", event.lines)
            json.field("total", event.total)
            json.field("pickup", event.pickup)
            json.field("payment", event.payment)
            json.field("paid", Money(0, event.total.currency))
            json.field("refunded", Money(0, event.total.currency))
            json.field("goesBack", Money(0, event.total.currency))
            json.field("payBefore", ifPresent: event.until)
        }
    }

    /// Records the state of the newest payment, and its payment page while it can be paid.
    private static func pay(_ order: OrderID, _ state: String, page: String? = nil, _ board: SyncRecordWriter) {
        guard let buyer = buyer(of: order, board) else { return }
        // The page may arrive after the payment; it is of no use then.
        let before = board.members("orders", order.rawValue, of: SyncViews.whose(PersonID(buyer)))?
            .first { $0.0 == "paying" }?.1["state"]
        guard state != "opened" || before == .string("requested") else { return }
        let page = page.map { [("page", JSONAny.string($0))] } ?? []
        change(order, buyer, board, [("paying", .object([("state", .string(state))] + page))])
    }

    private static func add(_ amount: Money, to member: String, of order: OrderID, _ board: SyncRecordWriter) {
        guard let buyer = buyer(of: order, board),
            let members = board.members("orders", order.rawValue, of: SyncViews.whose(PersonID(buyer))),
            case .integer(let before)? = members.first(where: { $0.0 == member })?.1["minor"]
        else { return }
        change(order, buyer, board, [(member, JSONAny(telling: Money(before + amount.minor, amount.currency)))])
    }

    private static func change(
        _ order: OrderID, _ buyer: String, _ board: SyncRecordWriter, _ changes: SyncRecordWriter.Members
    ) {
        board.change("orders", order.rawValue, of: SyncViews.whose(PersonID(buyer)), changes)
    }

    private static func change(_ order: OrderID, _ board: SyncRecordWriter, _ changes: SyncRecordWriter.Members) {
        if let buyer = buyer(of: order, board) { change(order, buyer, board, changes) }
    }

    private static func buyer(of order: OrderID, _ board: SyncRecordWriter) -> String? {
        board.tables.get(SyncBuyerRow.self, order.rawValue)?.buyer
    }
}
