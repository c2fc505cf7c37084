import EventSourcing
import Events
import JSON
import Vocabulary

/// Projects the buyers' own orders, and the stock that carts and orders take.
enum SyncOrderViews {
    static func apply(_ fact: OrdersEvent, _ envelope: Envelope, to board: SyncRecordWriter) {
        switch fact {
        case .cartHeld(let event):
            give(back: cart(event.buyer), board) { $0.held -= $1 }
            take(cart(event.buyer), event.buyer, event.lines, board) { $0.held += $1 }
        case .cartReleased(let event): give(back: cart(event.buyer), board) { $0.held -= $1 }
        case .orderPlaced(let event):
            take(order(event.order), event.buyer, event.lines, board) { $0.ordered += $1 }
            place(event, at: envelope.time, board)
        case .orderChanged(let event):
            guard let buyer = buyer(of: event.order, board) else { return }
            give(back: order(event.order), board) { $0.ordered -= $1 }
            take(order(event.order), PersonID(buyer), event.lines, board) { $0.ordered += $1 }
            change(
                event.order, buyer, board,
                [
                    ("lines", JSONAny(telling: event.lines)), ("total", JSONAny(telling: event.total)),
                    ("pickup", .string(event.pickup.rawValue)),
                ])
        case .orderCancelled(let event):
            end(event.order, "cancelled", [("reason", .string(event.reason ?? event.why.rawValue))], board) {
                row, boxes in
                row.ordered -= boxes
            }
        case .orderCollected(let event):
            end(event.order, "collected", [], board) { row, boxes in
                row.ordered -= boxes
                row.boxes -= boxes
            }
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
        case .orderImported: break
        }
    }

    /// Removes all records of an erased person. The stock of their orders stays taken.
    static func forget(_ person: PersonID, _ board: SyncRecordWriter) {
        board.forget(SyncViews.whose(person))
    }

    private static func cart(_ buyer: PersonID) -> String { "cart/\(buyer)" }
    private static func order(_ order: OrderID) -> String { "order/\(order)" }

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

    private static func end(
        _ order: OrderID, _ state: String, _ more: SyncRecordWriter.Members, _ board: SyncRecordWriter,
        _ movement: (inout SyncLotRow, Int) -> Void
    ) {
        guard let buyer = buyer(of: order, board) else { return }
        give(back: Self.order(order), board, movement)
        // The row retains the buyer, because payment events may still follow.
        board.tables.put(SyncTakingRow(Self.order(order), buyer: buyer, boxes: []))
        change(order, buyer, board, [("state", .string(state))] + more)
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

    private static func buyer(of order: OrderID, _ board: SyncRecordWriter) -> String? {
        board.tables.get(SyncTakingRow.self, Self.order(order))?.buyer
    }

    private static func take(
        _ key: String, _ buyer: PersonID, _ lines: [OrderLine], _ board: SyncRecordWriter,
        _ movement: (inout SyncLotRow, Int) -> Void
    ) {
        var boxes: [String: Int] = [:]
        for line in lines { if let lot = line.lot { boxes[lot.rawValue, default: 0] += line.boxes } }
        let taken = boxes.sorted { $0.key < $1.key }.map { SyncTakingRow.Boxes(lot: $0.key, count: $0.value) }
        board.tables.put(SyncTakingRow(key, buyer: buyer.rawValue, boxes: taken))
        for boxes in taken { SyncViews.lot(LotID(boxes.lot), board) { movement(&$0, boxes.count) } }
    }

    private static func give(
        back key: String, _ board: SyncRecordWriter, _ movement: (inout SyncLotRow, Int) -> Void
    ) {
        guard let row = board.tables.get(SyncTakingRow.self, key) else { return }
        board.tables.remove(SyncTakingRow.self, key)
        for boxes in row.boxes { SyncViews.lot(LotID(boxes.lot), board) { movement(&$0, boxes.count) } }
    }
}
