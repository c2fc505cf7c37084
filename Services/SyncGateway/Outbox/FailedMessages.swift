import EventSourcing
import Events
import Host
import JSON

/// The messages that could not be delivered, for the staff to handle otherwise.
extension FailedMessageRow {
    /// The subject of the message.
    enum About: String, CaseIterable { case recall, payment, cancellation, refund, alarm }

    private var about: About {
        switch path {
        case "/v1/intents": .payment
        case "/v1/cancellations": .cancellation
        case "/v1/refunds": .refund
        case AlarmNotificationRequested.name: .alarm
        default: .recall
        }
    }

    static let shape: Shape = [
        "message": .name, "at": .time, "to": .words(OutboxRow.Recipient.allCases.map(\.rawValue)), "order?": .name,
        "about": .words(About.allCases.map(\.rawValue)), "reason": .text,
    ]

    func write(fields json: inout JSONWriter) {
        let parts = key.split(separator: "|", maxSplits: 1)
        json.field("message", String(parts.last ?? ""))
        json.field("at", String(parts.first ?? ""))
        json.field("to", to.rawValue)
        json.field("order", ifPresent: order)
        json.field("about", about.rawValue)
        json.field("reason", reason)
    }
}

extension SyncGateway {
    func listGivenUp(_ call: RequestContext, _ tables: any Tables) -> Effect {
        let rows = tables.scan(FailedMessageRow.self, limit: GatewayLimits.givenUp).reversed()
        return respond(
            call.web,
            .made { json in
                json.field(
                    "items",
                    array: { json in
                        for row in rows { json.object(row.write(fields:)) }
                    })
                json.field("next", JSONAny.null)
            })
    }
}
