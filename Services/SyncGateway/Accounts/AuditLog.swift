import EventSourcing
import EventStore
import Events
import HTTP
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// The audit log: sign-ins, refused sign-ins, and changes of access.
extension AuditRow {
    static let shape: Shape = [
        "number": .integer, "at": .time, "what": .text, "person?": .text, "name?": .text, "gateway?": .text,
        "device?": .text,
        "actor": .text, "actorName?": .text, "count": .integer,
    ]
}

extension SyncGateway {
    func tellAuditLog(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> Effect {
        let after = call.parameter("after")
        return respond(call.web, HTTPResponse(try page(after: after, tables)))
    }

    /// Returns a page of the audit log for the operator's command.
    func auditLog(_ ask: Request, _ body: RequestBody, _ tables: any Tables) throws(Problem) -> Response {
        guard ask.actor == .service("console") else {
            throw Problem(403, "not-allowed", "Only the operator's command reads the log here.")
        }
        return try page(after: try body.optionalText("after"), tables)
    }

    /// Returns a page of the log. Events hold no names: they are looked up in the current accounts, and an erased
    /// person has none.
    private func page(after: String?, _ tables: any Tables) throws(Problem) -> Response {
        let rows = tables.scan(AuditRow.self, prefix: "", after: after, limit: GatewayLimits.auditPage)
        var names: [String: String] = [:]
        for person in Set(rows.flatMap { [$0.person, $0.actorPerson].compactMap { $0 } }) {
            names[person] = try vault { () throws(VaultError) in try accounts.account(of: PersonID(person))?.name }
        }
        let known = names
        return .made { json in
            json.field(
                "items",
                array: { json in
                    for row in rows { json.object { json in Self.write(row, known, to: &json) } }
                })
            json.field("next", ifPresent: rows.count == GatewayLimits.auditPage ? rows.last?.key : nil)
        }
    }

    private static func write(_ row: AuditRow, _ names: [String: String], to json: inout JSONWriter) {
        json.field("number", AuditRow.number(of: row.key))
        json.field("at", row.at)
        json.field("what", row.what)
        json.field("person", ifPresent: row.person)
        json.field("name", ifPresent: row.person.flatMap { names[$0] })
        json.field("gateway", ifPresent: row.gateway)
        json.field("device", ifPresent: row.device)
        json.field("actor", row.actor)
        json.field("actorName", ifPresent: row.actorPerson.flatMap { names[$0] })
        json.field("count", row.count)
    }

    /// Drafts the events for the sign-ins counted in the last minute.
    mutating func countedSignIns() -> [Effect] {
        let drafts = signIns.take().map { count in
            Draft(count, in: count.person.map { "person/\($0)" } ?? "sign-ins/unknown", by: .service(Self.name))
        }
        return drafts.isEmpty ? [] : [.append(drafts)]
    }
}

extension AuditRow {
    fileprivate var actorPerson: String? { actor.hasPrefix("person/") ? String(actor.dropFirst(7)) : nil }
}
