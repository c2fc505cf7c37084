import EventBus
import EventSourcing
import ZeroMQ

/// Reads journals of a running farm server over its services' reading doors.
final class JournalPull {
    let connections: ServiceConnections
    private let damage: DamageReporting
    private var requestClients: [String: RequestClient] = [:]

    /// - Parameter damage: whether walks end where a chain does not hold.
    init(_ farmPaths: FarmPaths, damage: DamageReporting = .stops) throws {
        self.damage = damage
        connections = try ServiceConnections(farmPaths, try Context())
    }

    /// A walk through a feed from its beginning, or behind a checkpoint, to the head that it has then, or a position.
    ///
    /// - Parameter what: what the operator is told is going on, where it takes long.
    func walk(
        _ feed: String, after checkpoint: Checkpoint? = nil, through last: Position? = nil, telling what: String? = nil
    ) throws -> JournalIterator {
        let follower = try connections.follower(of: feed)
        follower.damage = damage
        return try JournalIterator(feed, follower, after: checkpoint, through: last, telling: what)
    }

    func ask(
        _ service: String, _ verb: String, slot: Int, body: [UInt8] = Array("{}".utf8)
    ) throws -> Response {
        let requestClient =
            try requestClients["\(service)/\(slot)"] ?? connections.requestClient(of: service, slot: slot)
        requestClients["\(service)/\(slot)"] = requestClient
        return try Console.ask(requestClient, service, verb, body: body, seconds: 60)
    }
}
