import EventSourcing
import Events
import JSON
import Vocabulary

/// What others' facts want said outside and nobody has taken yet. The key is the fact's id, which is also the key that
/// it is sent under; a letter carries it as its number.
struct OutboxRow: TableRow {
    static let schema = TableSchema(
        "outbox", [("recipient", .text), ("path", .text), ("orders", .text), ("body", .text)])

    let key: String
    let to: Recipient
    /// What is said: an address of the provider's, or what a letter is about.
    let path: String
    /// Which order it is about.
    let order: OrderID
    /// JSON.
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
    /// Who is spoken to.
    enum Recipient: String, CaseIterable {
        /// The payment provider of that name.
        case sandbox
        /// A buyer, by e-mail.
        case mail
    }

    /// What a fact of the market wants said to a payment provider or a buyer; nil if nothing.
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
