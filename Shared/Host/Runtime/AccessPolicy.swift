import EventBus
import EventSourcing
import Wire

/// Which process may make which request. The name from the ZAP authenticator decides, not the request itself.
enum AccessPolicy {
    /// The one service that may act for people and devices, because it authenticates them.
    static let gateway = "sync-gateway"

    /// Returns why this process may not make this request, or nil if it may.
    ///
    /// A connection without an authenticated user came over a socket in a folder that only the farm server's own user
    /// may enter.
    static func accessRefusal(to ask: IncomingRequest, of verbs: [String: Set<String>]) -> Problem? {
        // Every process on the allow-list may request the host's verbs, such as the head of the journal.
        guard let user = ask.user, user != gateway, HostVerb(verb: ask.verb) == nil else { return nil }
        guard ask.actor == .service(user) else {
            return Problem(403, "not-its-own-name", "\(user) may not ask in the name of \(ask.actor).")
        }
        guard verbs[user]?.contains(ask.verb) != true else { return nil }
        return Problem(403, "not-for-this-service", "\(user) may not ask for \(ask.verb) here.")
    }

    /// Whether the operator's command sent the request: over a socket of this machine, or from the gateway's container,
    /// where it runs.
    static func isOperator(_ ask: IncomingRequest) -> Bool {
        ask.actor == .service("console") && (ask.user == nil || ask.user == gateway)
    }

    /// Whether a process may serve a feed, or receive requests, under a name: only one of its own service.
    static func owns(_ name: String, _ user: String?) -> Bool {
        user.map { name.hasPrefix($0 + "/") } ?? true
    }
}
