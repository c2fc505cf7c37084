import EventSourcing
import Host
import Vocabulary

/// A change that was forwarded to another service, with all that is needed to send it again.
struct Forwarded: Sendable {
    let to: String
    let verb: String
    let body: [UInt8]
    let actor: Actor
    let key: String
    var trace: TraceParent?

    func outgoing(_ token: UInt64, seconds: Double) -> OutgoingRequest {
        OutgoingRequest(
            to: to, verb: verb, body: body, actor: actor, key: key, trace: trace, token: token, seconds: seconds)
    }
}

/// Changes with an unknown outcome, whose status the caller can query. The oldest are removed first.
struct RecentCommands {
    private var commands: [String: Forwarded] = [:]
    private var order: [String] = []
    private var bytes = 0

    mutating func remember(_ command: Forwarded) {
        let name = Self.name(command.actor, command.key)
        remove(name)
        commands[name] = command
        order.append(name)
        bytes += command.body.count
        while order.count > GatewayLimits.recentCommands || bytes > GatewayLimits.recentBytes, let oldest = order.first
        {
            remove(oldest)
        }
    }

    func find(_ actor: Actor, _ key: String) -> Forwarded? {
        commands[Self.name(actor, key)]
    }

    mutating func forget(_ actor: Actor) {
        for (name, command) in commands where command.actor == actor { remove(name) }
    }

    private mutating func remove(_ name: String) {
        guard let command = commands.removeValue(forKey: name) else { return }
        order.removeAll { $0 == name }
        bytes -= command.body.count
    }

    private static func name(_ actor: Actor, _ key: String) -> String { "\(actor) \(key)" }
}
