import EventSourcing
import EventStore
import Events
import HTTP
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// A person's sessions: listing and ending them.
extension SyncGateway {
    func listSessions(_ call: RequestContext) throws(Problem) -> [Effect] {
        let person = try ownAccount(call).person
        let own = try vault { () throws(VaultError) in try accounts.sessions(of: person) }
        let current = call.caller?.session
        return [
            respond(
                call.web,
                .made { json in
                    json.field(
                        "items",
                        array: { json in
                            for (id, session) in own.sorted(by: { $0.session.lastUsed > $1.session.lastUsed }) {
                                json.object { json in
                                    json.field("session", Self.shown(id))
                                    json.field("device", session.device ?? DeviceName.of(nil))
                                    json.field("network", session.network ?? "unknown")
                                    json.field("opened", ifPresent: session.opened)
                                    json.field("used", session.lastUsed)
                                    json.field("current", id == current)
                                }
                            }
                        })
                    json.field("next", JSONAny.null)
                })
        ]
    }

    func endSession(_ call: RequestContext) throws(Problem) -> [Effect] {
        let person = try ownAccount(call).person
        let name = call.parameter("session") ?? ""
        let own = try vault { () throws(VaultError) in try accounts.sessions(of: person) }
        guard let session = own.first(where: { Self.shown($0.id) == name }) else {
            throw Problem(404, "unknown-session", "This device is signed out already.")
        }
        try vault { () throws(VaultError) in try accounts.close(session.id) }
        return changed(.sessionsEnded, person, by: call.actor) + [
            .hangUp(topic: session.id), respond(call.web, HTTPResponse(status: 204)),
        ]
    }

    func endSessions(_ call: RequestContext) throws(Problem) -> [Effect] {
        let person = try ownAccount(call).person
        let response = HTTPResponse(status: 204).with("Set-Cookie", SessionCookie.remove(isSecure: call.web.isSecure))
        return try changed(.sessionsEnded, person, by: call.actor) + end(person, but: nil) + [
            respond(call.web, response)
        ]
    }

    /// Ends all sessions of a person except `kept`.
    func end(_ person: PersonID, but kept: String?) throws(Problem) -> [Effect] {
        try vault { () throws(VaultError) in
            var effects: [Effect] = []
            for (id, _) in try accounts.sessions(of: person) where id != kept {
                try accounts.close(id)
                effects.append(.hangUp(topic: id))
            }
            return effects
        }
    }

    /// Returns the part of a session's fingerprint that names it in the API.
    private static func shown(_ id: String) -> String { String(id.prefix(32)) }
}
