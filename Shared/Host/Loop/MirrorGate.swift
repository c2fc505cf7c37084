import EventSourcing

/// Holds acknowledgements back until the hub has the events that they acknowledge, where a standby has all that the hub
/// has (`FURROW_SYNCHRONOUS`). They keep their order.
struct MirrorGate {
    /// Acknowledgements, and the positions of the own journal that they acknowledge.
    private var held: [(position: Position, effect: Effect)] = []

    /// The number of acknowledgements that are held.
    var count: Int { held.count }

    /// Adds acknowledgements, and returns those that may be sent now.
    ///
    /// - Parameter mirrored: the position up to which the hub has the own journal.
    mutating func pass(_ new: [(position: Position, effect: Effect)], mirrored: Position) -> [Effect] {
        held += new
        let ready = held.prefix { $0.position <= mirrored }
        guard !ready.isEmpty else { return [] }
        held.removeFirst(ready.count)
        return ready.map(\.effect)
    }
}
