import EventBus
import EventSourcing
import ZeroMQ

/// Reads journals of a running farm server over its services' reading doors.
final class JournalPull {
    let neighbours: Neighbours
    private let damage: DamageReporting
    private var askers: [String: Asker] = [:]

    /// - Parameter damage: whether walks end where a chain does not hold.
    init(_ premises: Premises, damage: DamageReporting = .stops) throws {
        self.damage = damage
        neighbours = try Neighbours(premises, try Context())
    }

    /// A walk through a feed from its beginning, or behind a checkpoint, to the head that it has then, or a position.
    ///
    /// - Parameter what: what the operator is told is going on, where it takes long.
    func walk(
        _ feed: String, after checkpoint: Checkpoint? = nil, through last: Position? = nil, telling what: String? = nil
    ) throws -> JournalWalk {
        let follower = try neighbours.follower(of: feed)
        follower.damage = damage
        return try JournalWalk(feed, follower, after: checkpoint, through: last, telling: what)
    }

    func ask(
        _ service: String, _ verb: String, slot: Int, body: [UInt8] = Array("{}".utf8)
    ) throws -> Answer {
        let asker = try askers["\(service)/\(slot)"] ?? neighbours.asker(of: service, slot: slot)
        askers["\(service)/\(slot)"] = asker
        return try Console.ask(asker, service, verb, body: body, seconds: 60)
    }
}
