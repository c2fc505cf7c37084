import EventBus
import EventSourcing
import Wire

/// Which process may ask what: the name that the doorkeeper gave it decides, whatever the ask says of itself.
enum AccessPolicy {
    /// The one service that speaks for people and devices: it has let them in.
    static let mouth = "sync-gateway"

    /// Why this process may not ask this; nil if it may.
    ///
    /// Where nobody vouched for a connection, it came over a socket in a folder that only the farm server's own user
    /// may enter.
    static func objection(to ask: IncomingRequest, of verbs: [String: Set<String>]) -> Problem? {
        // How far a journal reaches may be asked by everyone on the list.
        guard let user = ask.user, user != mouth, HostVerb(verb: ask.verb) == nil else { return nil }
        guard ask.actor == .service(user) else {
            return Problem(403, "not-its-own-name", "\(user) may not ask in the name of \(ask.actor).")
        }
        guard verbs[user]?.contains(ask.verb) != true else { return nil }
        return Problem(403, "not-for-this-service", "\(user) may not ask for \(ask.verb) here.")
    }

    /// Whether it is the operator's command that asks: over a socket of this machine, or from the gateway's container,
    /// where it is run.
    static func isOperator(_ ask: IncomingRequest) -> Bool {
        ask.actor == .service("console") && (ask.user == nil || ask.user == mouth)
    }

    /// Whether a process may tell a feed or answer under a name: only its own service's.
    static func mayBe(_ name: String, _ user: String?) -> Bool {
        user.map { name.hasPrefix($0 + "/") } ?? true
    }
}
