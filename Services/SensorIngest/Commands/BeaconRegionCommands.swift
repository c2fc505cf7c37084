import EventSourcing
import Events
import Host
import JSON
import Radio
import Vocabulary
import Wire

/// The commands on regions of beacons.
struct BeaconRegionCommands {
    let tables: any Tables
    let ask: Request

    /// Handles `set-beacon-region`. Throws a 422 if the text describes no beacons, and a 409 for one more than the
    /// limit.
    func set(_ command: SetBeaconRegion) throws(Problem) -> ([Draft], Response) {
        let region = command.region
        guard let beacons = BeaconRegion(command.beacons) else {
            throw Problem(
                422, "no-beacons",
                """
                beacons: use ibeacon:UUID, ibeacon:UUID:major, ibeacon:UUID:major:minor, eddystone:namespace (20 \
                hexadecimal digits) or eddystone:namespace:instance (12 more).
                """)
        }
        let isNew = tables.get(BeaconRegionRow.self, region.rawValue) == nil
        guard !isNew || tables.scan(BeaconRegionRow.self, limit: SensorLimits.regions).count < SensorLimits.regions
        else { throw Problem(409, "too-many", "There are \(SensorLimits.regions) regions already.") }
        let event = BeaconRegionSet(region: region, title: command.title, beacons: beacons.description)
        return (drafts(event, of: region), .made { $0.field("region", region) })
    }

    /// Handles `remove-beacon-region`.
    func remove(_ command: RemoveBeaconRegion) throws(Problem) -> ([Draft], Response) {
        let region = command.region
        guard tables.get(BeaconRegionRow.self, region.rawValue) != nil else {
            throw Problem(404, "unknown-region", "There is no region \(region).")
        }
        return (drafts(BeaconRegionRemoved(region: region), of: region), .made { $0.field("region", region) })
    }

    private func drafts(_ event: any Event, of region: BeaconRegionID) -> [Draft] {
        [Draft(event, in: "beacon-region/\(region)", by: ask.actor)]
    }
}
