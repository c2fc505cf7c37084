import EventBus
import EventSourcing
import ZeroMQ

/// Reads journals of a running farm server from the services' feeds.
final class JournalPull {
    let connections: ServiceConnections
    private let damage: DamageReporting
    private var requestClients: [String: RequestClient] = [:]

    /// - Parameter damage: whether iterators stop at a broken chain or report it.
    init(_ farmPaths: FarmPaths, damage: DamageReporting = .stops) throws {
        self.damage = damage
        connections = try ServiceConnections(farmPaths, try Context())
    }

    /// Returns an iterator over a feed, from its beginning or after a checkpoint, to its current head or to a position.
    ///
    /// - Parameter what: the label of the progress output; nil prints none.
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
