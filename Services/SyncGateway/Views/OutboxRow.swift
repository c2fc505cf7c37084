import EventSourcing
import Events
import JSON
import Vocabulary

/// What others' facts want said outside and nobody has taken yet. The key is the fact's id, which is also the key that
/// it is sent under; a letter carries it as its number.
struct OutboxRow: TableRow {
    static let schema = TableSchema("outbox", [("recipient", .text), ("path", .text), ("body", .text)])

    let key: String
    let to: Recipient
    /// What is said: an address of the provider's, or what a letter is about.
    let path: String
    /// JSON.
    let body: String

    init(_ fact: UUID, to: Recipient, path: String, body: String) {
        key = fact.description
        self.to = to
        self.path = path
        self.body = body
    }

    init(key: String, cells: [Cell]) throws(BadRow) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        to = try cells.text(Recipient.init(rawValue:))
        path = try cells.text()
        body = try cells.text()
    }

    var cells: [Cell] { [.text(to.rawValue), .text(path), .text(body)] }
}

extension OutboxRow {
    /// Who is spoken to.
    enum Recipient: String {
        /// The payment provider of that name.
        case sandbox
        /// A buyer, by e-mail.
        case mail
    }

    /// What a fact of the market wants said to a payment provider or a buyer; nil if nothing.
    init?(_ fact: OrdersFact, _ id: UUID) {
        var json = JSONWriter()
        let path: String
        switch fact {
        case .paymentRequested(let event):
            guard event.method == .sandbox else { return nil }
            path = "/v1/intents"
            json.object { json in
                json.field("payment", event.payment)
                json.field("order", event.order)
                json.field("amount", event.amount)
            }
        case .paymentVoided(let event):
            path = "/v1/cancellations"
            json.object { $0.field("payment", event.payment) }
        case .orderRefunded(let event):
            guard event.method == .sandbox else { return nil }
            path = "/v1/refunds"
            json.object { json in
                json.field("order", event.order)
                json.field("refund", event.refund)
                json.field("amount", event.amount)
            }
        case .orderRecalled(let event):
            json.object(event.write(fields:))
            self.init(id, to: .mail, path: OrderRecalled.name, body: json.text)
            return
        case .cartHeld, .cartReleased, .orderImported, .orderPlaced, .orderChanged, .orderCancelled, .orderCollected,
            .paymentOpened,
            .paymentAuthorized, .paymentCaptured, .paymentFailed, .paymentRefunded:
            return nil
        }
        self.init(id, to: .sandbox, path: path, body: json.text)
    }
}
