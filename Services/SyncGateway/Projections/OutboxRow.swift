import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// A message to a payment provider or a person that is not delivered yet. The key is the id of the event that caused
/// it, or is derived from it if the event causes several. The message is sent under this id as its idempotency key; an
/// e-mail uses it in its Message-ID.
struct OutboxRow: TableRow {
    static let schema = TableSchema(
        "outbox",
        [
            ("recipient", .text), ("path", .text), ("orders", .text), ("body", .text), ("cause", .text),
            ("channel", .text), ("alarm", .text), ("withdrawn", .text),
        ], indexed: ["alarm"], version: 2)

    let key: String
    let to: Recipient
    /// The path of the provider's endpoint, or the name of the event that a message to a person is about.
    let path: String
    /// The order that the message is about; nil for a message about something else.
    let order: OrderID?
    /// The message's content as JSON.
    let body: String
    /// The id of the event that caused it.
    let cause: UUID
    /// The webhook or push subscription; nil for other recipients.
    let channel: UUID?
    /// What the message is about: an alarm, as in `GatewayAlarmRow`, `server|<check>` or `promotion|<promotion>`; nil
    /// for other messages.
    let alarm: String?
    /// Why the message is not sent any more; nil if it is to be sent.
    var withdrawn: String?

    init(
        _ key: UUID, cause: UUID, to: Recipient, path: String, about order: OrderID?, body: String,
        channel: UUID? = nil, alarm: String? = nil
    ) {
        self.key = key.description
        self.cause = cause
        self.to = to
        self.path = path
        self.order = order
        self.body = body
        self.channel = channel
        self.alarm = alarm
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        to = try cells.text(Recipient.init(rawValue:))
        path = try cells.text()
        order = try cells.optionalText().map { OrderID($0) }
        body = try cells.text()
        cause = try cells.text { UUID($0) }
        channel = try cells.optionalText().flatMap { UUID($0) }
        alarm = try cells.optionalText()
        withdrawn = try cells.optionalText()
    }

    var cells: [Cell] {
        [
            .text(to.rawValue), .text(path), Cell(order?.rawValue), .text(body), .text(cause.description),
            Cell(channel?.description), Cell(alarm), Cell(withdrawn),
        ]
    }
}

extension OutboxRow {
    /// Withdraws the waiting messages about a subject, as in ``alarm``.
    static func withdraw(
        _ subject: String, _ reason: String, _ tables: some Tables, where isMeant: (OutboxRow) -> Bool = { _ in true }
    ) {
        let rows = tables.find(OutboxRow.self, where: "alarm", is: subject, limit: GatewayLimits.messagesOfAlarm)
        for var row in rows where row.withdrawn == nil && isMeant(row) {
            row.withdrawn = reason
            tables.put(row)
        }
    }

    /// The recipient of a message.
    enum Recipient: String, CaseIterable {
        /// The payment provider for tests, which moves no money.
        case sandbox
        /// A person, by e-mail.
        case mail
        /// A person, by a webhook.
        case webhook
        /// A person, by Web Push to one device.
        case push
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
            self.init(id, cause: id, to: .mail, path: OrderRecalled.name, about: event.order, body: json.text)
            return
        case .cartHeld, .cartReleased, .orderImported, .orderPlaced, .orderChanged, .orderCancelled, .orderCollected,
            .orderRecordChanged, .paymentOpened, .paymentAuthorized, .paymentCaptured, .paymentFailed, .paymentRefunded:
            return nil
        }
        self.init(id, cause: id, to: .sandbox, path: path, about: order, body: json.text)
    }
}
