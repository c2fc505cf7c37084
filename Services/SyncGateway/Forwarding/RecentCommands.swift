import EventSourcing
import Host
import Vocabulary
import Wire

/// A change that was forwarded to another service, with all that is needed to send it again.
struct Forwarded: Sendable {
    private let name: CommandName
    private let to: String
    let body: [UInt8]
    let actor: Actor
    let key: String
    private let trace: TraceParent?

    /// - Parameter to: The service or slot; by default the service that decides the command.
    init(
        _ name: CommandName, to: String? = nil, body: [UInt8], actor: Actor, key: String, trace: TraceParent? = nil
    ) {
        self.name = name
        self.to = to ?? name.request.service
        self.body = body
        self.actor = actor
        self.key = key
        self.trace = trace
    }

    func outgoing(_ token: UInt64, seconds: Double) -> OutgoingRequest {
        OutgoingRequest(
            name.request, to: to, body: body, actor: actor, key: key, trace: trace, token: token, seconds: seconds)
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
