import EventSourcing
import Events
import JSON
import Vocabulary

/// A message to a payment provider or a buyer that is not delivered yet. The key is the id of the event that caused it.
/// The message is sent under this id as its idempotency key; an e-mail uses it in its Message-ID.
struct OutboxRow: TableRow {
    static let schema = TableSchema(
        "outbox", [("recipient", .text), ("path", .text), ("orders", .text), ("body", .text)])

    let key: String
    let to: Recipient
    /// The path of the provider's endpoint, or the name of the event that an e-mail is about.
    let path: String
    /// The order that the message is about.
    let order: OrderID
    /// The message's content as JSON.
    let body: String

    init(_ fact: UUID, to: Recipient, path: String, about order: OrderID, body: String) {
        key = fact.description
        self.to = to
        self.path = path
        self.order = order
        self.body = body
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        to = try cells.text(Recipient.init(rawValue:))
        path = try cells.text()
        order = OrderID(try cells.text())
        body = try cells.text()
    }

    var cells: [Cell] { [.text(to.rawValue), .text(path), Cell(order.rawValue), .text(body)] }
}

extension OutboxRow {
    /// The recipient of a message.
    enum Recipient: String, CaseIterable {
        /// The payment provider of that name.
        case sandbox
        /// A buyer, by e-mail.
        case mail
    }

    /// Creates the message that an order event causes, or returns nil if it causes none.
    init?(_ fact: OrdersEvent, _ id: UUID) {
        var json = JSONWriter()
        let (path, order): (String, OrderID)
        switch fact {
        case .paymentRequested(let event):
            guard event.method == .sandbox else { return nil }
            (path, order) = ("/v1/intents", event.order)
            json.object { json in
                json.field("payment", event.payment)
                json.field("order", event.order)
                json.field("amount", event.amount)
            }
        case .paymentVoided(let event):
            (path, order) = ("/v1/cancellations", event.order)
            json.object { $0.field("payment", event.payment) }
        case .orderRefunded(let event):
            guard event.method == .sandbox else { return nil }
            (path, order) = ("/v1/refunds", event.order)
            json.object { json in
                json.field("order", event.order)
                json.field("refund", event.refund)
                json.field("amount", event.amount)
            }
        case .orderRecalled(let event):
            json.object(event.write(fields:))
            self.init(id, to: .mail, path: OrderRecalled.name, about: event.order, body: json.text)
            return
        case .cartHeld, .cartReleased, .orderImported, .orderPlaced, .orderChanged, .orderCancelled, .orderCollected,
            .paymentOpened,
            .paymentAuthorized, .paymentCaptured, .paymentFailed, .paymentRefunded:
            return nil
        }
        self.init(id, to: .sandbox, path: path, about: order, body: json.text)
    }
}
