import EventSourcing
import Events
import Radio
import Vocabulary

/// Which reader is in which region of beacons: it enters with the first beacon that it receives of the region, and has
/// left when it has received none for 30 s. Readers move, as phones do, or the beacons pass a reader.
///
/// A beacon at the edge of the range, which is received now and then, causes at most two events in 30 s.
struct RegionWatch {
    /// When each reader received a beacon of each region last, by the keys of the visits.
    private var received: [String: Instant] = [:]
    /// When the exits were looked for last.
    private var looked: Instant?

    /// Notes what a reader receives; returns the regions that it enters.
    mutating func receive(_ beacons: [String], by reader: String, at now: Instant, _ tables: any Tables) -> [Draft] {
        var drafts: [Draft] = []
        for (region, beacon) in regions(of: beacons, tables) {
            let key = RegionVisitRow.key(region, reader)
            let isInside = tables.get(RegionVisitRow.self, key) != nil
            guard isInside || received.count < SensorLimits.regionVisits else { continue }
            received[key] = now
            guard !isInside else { continue }
            drafts.append(draft(BeaconRegionEntered(region: region, reader: reader, beacon: beacon), of: region))
        }
        return drafts
    }

    /// Returns the regions that readers have left; looks once a second. After a start, readers have 30 s to be received
    /// again.
    mutating func due(at now: Instant, _ tables: any Tables) -> [Draft] {
        if let looked, (0..<1).contains(now.seconds(since: looked)) { return [] }
        looked = now
        var drafts: [Draft] = []
        var visits: [String: Instant] = [:]
        for row in tables.scan(RegionVisitRow.self, limit: SensorLimits.regionVisits) {
            // A clock that was set back makes no reader leave at once, and none stay for ever.
            let last = min(received[row.key] ?? now, now)
            guard now.seconds(since: last) >= SensorLimits.regionSeconds else {
                visits[row.key] = last
                continue
            }
            drafts.append(draft(BeaconRegionLeft(region: row.region, reader: row.reader), of: row.region))
        }
        received = visits
        return drafts
    }

    /// Returns the regions with one of these beacons, each with the first of them.
    private func regions(of beacons: [String], _ tables: any Tables) -> [(BeaconRegionID, String)] {
        let rows = tables.scan(BeaconRegionRow.self, limit: SensorLimits.regions)
        guard !rows.isEmpty else { return [] }
        var first: [String: String] = [:]
        for beacon in beacons.reversed() {
            for name in BeaconRegion.descriptions(around: beacon) { first[name] = beacon }
        }
        return rows.compactMap { row in first[row.beacons].map { (BeaconRegionID(row.key), $0) } }
    }

    private func draft(_ event: any Event, of region: BeaconRegionID) -> Draft {
        Draft(event, in: "beacon-region/\(region)", by: .service(SensorIngest.name))
    }
}
