import Synchronization
import System
import Vocabulary

/// The time zones of quiet hours and on-call weeks. Each is read from its file once.
final class ZoneCache: Sendable {
    private static let size = 8

    private let zones = Mutex<[String: Zone?]>([:])

    /// Returns the zone of a name; nil if this machine has none.
    func find(_ name: String) -> Zone? {
        zones.withLock { zones in
            if let known = zones[name] { return known }
            let zone = ZoneFile.read(name).flatMap(Zone.init(file:))
            if zones.count >= Self.size { zones = [:] }
            zones[name] = .some(zone)
            return zone
        }
    }
}
