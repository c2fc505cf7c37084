import EventSourcing
import Events
import HTTP
import Host
import JSON
import Vocabulary

/// The notifications of alarms: those that wait, and how the last ones ended.
extension SyncGateway {
    func listNotifications(_ call: RequestContext, _ tables: any Tables) -> Effect {
        let waiting = tables.scan(OutboxRow.self, limit: GatewayLimits.messagesOfAlarm).filter { $0.alarm != nil }
            .compactMap { row in DeliveryRow(row, .sent, nil, at: time).map { (row, $0) } }
            .suffix(GatewayLimits.deliveries)
        let ended = tables.scan(DeliveryRow.self, limit: GatewayLimits.deliveries)
        return respond(
            call.web,
            .made { json in
                json.field(
                    "items",
                    array: { json in
                        for (row, delivery) in waiting.reversed() {
                            let failures = sending.failures(of: row.key)
                            json.object { json in
                                delivery.write(shown: &json, state: "waiting", failures?.reason)
                                json.field("attempts", failures?.count ?? 0)
                            }
                        }
                        for row in ended.reversed() {
                            json.object { json in
                                row.write(shown: &json, state: row.outcome.rawValue, row.reason)
                                json.field("ended", String(row.key.prefix { $0 != "|" }))
                            }
                        }
                    })
                json.field("next", JSONAny.null)
            })
    }
}

extension DeliveryRow {
    static let shape: Shape = [
        "message": .name, "to": .words(OutboxRow.Recipient.allCases.map(\.rawValue)), "person": .text,
        "channel?": .text, "text": .text, "place": .text, "step": .integer, "requested": .time,
        "state": .words(["waiting"] + Outcome.allCases.map(\.rawValue)), "reason?": .text, "attempts?": .integer,
        "ended?": .time,
    ]

    fileprivate func write(shown json: inout JSONWriter, state: String, _ reason: String?) {
        json.field("message", String(key.split(separator: "|").last ?? ""))
        json.field("to", to.rawValue)
        json.field("person", person)
        json.field("channel", ifPresent: channel)
        json.field("text", sentence)
        json.field("place", place)
        json.field("step", step)
        json.field("requested", requested)
        json.field("state", state)
        json.field("reason", ifPresent: reason)
    }
}
