import EventSourcing
import Events
import JSON
import Vocabulary

/// What others' facts want said outside and nobody has taken yet. The key is the fact's id, which is also the key that
/// it is sent under.
struct OutboxRow: TableRow {
    static let schema = TableSchema("outbox", [("recipient", .text), ("path", .text), ("body", .text)])

    let key: String
    let to: String
    let path: String
    /// JSON.
    let body: String

    init(_ fact: UUID, to: String, path: String, body: String) {
        key = fact.description
        self.to = to
        self.path = path
        self.body = body
    }

    init(key: String, cells: [Cell]) throws(BadRow) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        to = try cells.text()
        path = try cells.text()
        body = try cells.text()
    }

    var cells: [Cell] { [.text(to), .text(path), .text(body)] }
}

extension OutboxRow {
    /// What a fact of the market wants said to a payment provider; nil if nothing.
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
        case .cartHeld, .cartReleased, .orderImported, .orderPlaced, .orderChanged, .orderCancelled, .orderCollected,
            .paymentOpened,
            .paymentAuthorized, .paymentCaptured, .paymentFailed, .paymentRefunded:
            return nil
        }
        self.init(id, to: PaymentMethod.sandbox.rawValue, path: path, body: json.text)
    }
}
