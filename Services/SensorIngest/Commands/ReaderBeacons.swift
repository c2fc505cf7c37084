import EventSourcing
import Host
import JSON
import Vocabulary
import Wire

/// What readers receive of beacons, passed on and recorded.
extension SensorIngest {
    /// Returns what is due of the readers' beacons: the lists for the gateway, and the regions that were entered and
    /// left. Other slots send their lists to slot 0, which is the single writer of regions.
    mutating func tendBeacons(at now: Instant, _ tables: any Tables) -> [Effect] {
        let readings = nearby.due(at: now)
        var effects = readings.map { $0.request(GatewayRequestName.beaconsNear) }
        guard isPrimary else {
            let primary = Origin(service: Self.name, site: origin.site, slot: 0).description
            return effects + readings.map { $0.request(ReceptionName.beaconsNear, to: primary) }
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
