import EventSourcing
import Events
import Host
import JSON
import Radio
import Vocabulary
import Wire

/// The commands on regions of beacons, and their list.
struct BeaconRegionCommands {
    let tables: any Tables
    let ask: Request

    /// Handles `set-beacon-region`. Throws a 422 if the text describes no beacons, and a 409 for one more than the
    /// limit.
    func set(_ body: RequestBody) throws(Problem) -> ([Draft], Response) {
        let region = BeaconRegionID(try body.name("region"))
        guard let beacons = BeaconRegion(try body.text("beacons")) else {
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
        let event = BeaconRegionSet(region: region, title: try body.text("title"), beacons: beacons.description)
        return (drafts(event, of: region), .made { $0.field("region", region) })
    }

    /// Handles `remove-beacon-region`.
    func remove(_ body: RequestBody) throws(Problem) -> ([Draft], Response) {
        let region = BeaconRegionID(try body.name("region"))
        guard tables.get(BeaconRegionRow.self, region.rawValue) != nil else {
            throw Problem(404, "unknown-region", "There is no region \(region).")
        }
        return (drafts(BeaconRegionRemoved(region: region), of: region), .made { $0.field("region", region) })
    }

    /// Returns all regions, each with the readers that are in it now.
    func list() -> Response {
        let rows = tables.scan(BeaconRegionRow.self, limit: SensorLimits.regions)
        return .made { json in
            json.field(
                "items",
                array: { json in
                    for row in rows {
                        json.object { json in
                            json.field("region", row.key)
                            json.field("title", row.title)
                            json.field("beacons", row.beacons)
                            json.field("readers", array: { write(readersOf: row, to: &$0) })
                        }
                    }
                })
            json.field("next", JSONAny.null)
        }
    }

    private func write(readersOf region: BeaconRegionRow, to json: inout JSONWriter) {
        for visit in tables.find(RegionVisitRow.self, where: "region", is: region.key, limit: SensorLimits.readers) {
            json.object { json in
                json.field("reader", visit.reader)
                json.field("beacon", visit.beacon)
                json.field("since", visit.since)
            }
        }
    }

    private func drafts(_ event: any Event, of region: BeaconRegionID) -> [Draft] {
        [Draft(event, in: "beacon-region/\(region)", by: ask.actor)]
    }
}

extension SensorIngest {
    /// Returns what is due of the readers' beacons: the lists for the gateway, and the regions that were entered and
    /// left. Other slots send their lists to slot 0, which is the single writer of regions.
    mutating func tendBeacons(at now: Instant, _ tables: any Tables) -> [Effect] {
        let readings = nearby.due(at: now)
        var effects = readings.map { $0.request(to: "sync-gateway") }
        guard isPrimary else {
            let primary = Origin(service: Self.name, site: origin.site, slot: 0).description
            return effects + readings.map { $0.request(to: primary) }
        }
        for reading in readings {
            effects += Self.appending(regions.receive(reading.names, by: reading.reader, at: now, tables))
        }
        return effects + Self.appending(regions.due(at: now, tables))
    }

    /// Handles `beacons-near`: what a reader of another slot receives.
    mutating func receive(
        beaconsOf ask: Request, _ body: RequestBody, at now: Instant, _ tables: any Tables
    ) throws(Problem) -> [Effect] {
        guard ask.actor == .service(Self.name) else {
            throw Problem(403, "not-allowed", "Only sensor-ingest sends what its readers receive.")
        }
        let beacons = try body.get("beacons", as: [JSONValue].self)
        var names: [String] = []
        do {
            for one in beacons.prefix(SensorLimits.nearbyBeacons) { names.append(try one.get("beacon")) }
        } catch {
            throw Problem(400, "malformed", "beacons: \(error)")
        }
        let drafts = regions.receive(names, by: try body.get("reader"), at: now, tables)
        return Self.appending(drafts) + [.reply(ask, .made { _ in })]
    }
}
