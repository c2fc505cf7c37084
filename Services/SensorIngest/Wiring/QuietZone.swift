import Synchronization
import System
import Vocabulary

/// The time zone of the quiet hours, which is read from its file once.
final class QuietZone: Sendable {
    private let latest = Mutex<(name: String, zone: Zone?)?>(nil)

    /// Returns the zone of a name; nil if this machine has none.
    func find(_ name: String) -> Zone? {
        latest.withLock { latest in
            if let latest, latest.name == name { return latest.zone }
            let zone = ZoneFile.read(name).flatMap(Zone.init(file:))
            latest = (name, zone)
            return zone
        }
    }
}
