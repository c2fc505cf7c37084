import EventSourcing
import System
import Vocabulary

/// The time zones known to this machine, and calendar days in a farm's zone.
public struct Zones: Sendable {
    public init() {}

    /// Returns the day in the farm's zone, so that an evening's harvest does not get the next day's date.
    func day(of time: Instant, at farm: FarmID, _ tables: any Tables) -> String {
        let name = tables.get(FarmRow.self, farm.rawValue)?.zone
        // Farms in older logs may have an unknown zone.
        return time.day(in: name.flatMap(zone) ?? .utc)
    }

    /// Returns the zone of a name such as `Europe/Vienna`; nil if there is none.
    func zone(_ name: String) -> Zone? { ZoneFile.read(name).flatMap(Zone.init(file:)) }
}
