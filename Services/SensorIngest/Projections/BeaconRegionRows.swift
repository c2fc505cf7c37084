import EventSourcing
import Events
import Vocabulary

/// A region of beacons that is watched. The key is the region.
struct BeaconRegionRow: TableRow {
    static let schema = TableSchema("beacon_region", [("title", .text), ("beacons", .text)])

    let key: String
    let title: String
    /// The prefix that the ids of its beacons have, in the format of `BeaconRegion`.
    let beacons: String

    init(_ event: BeaconRegionSet) {
        key = event.region.rawValue
        title = event.title
        beacons = event.beacons
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        title = try cells.text()
        beacons = try cells.text()
    }

    var cells: [Cell] { [.text(title), .text(beacons)] }
}

/// A reader that is in a region now. The key is the region and the reader.
struct RegionVisitRow: TableRow {
    static let schema = TableSchema(
        "region_visit", [("region", .text), ("reader", .text), ("beacon", .text), ("since", .integer)],
        indexed: ["region"])

    let key: String
    let region: BeaconRegionID
    let reader: String
    /// The beacon that it received first.
    let beacon: String
    let since: Instant

    init(_ event: BeaconRegionEntered, at time: Instant) {
        key = Self.key(event.region, event.reader)
        region = event.region
        reader = event.reader
        beacon = event.beacon
        since = time
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        region = BeaconRegionID(try cells.text())
        reader = try cells.text()
        beacon = try cells.text()
        since = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] { [.text(region.rawValue), .text(reader), .text(beacon), .integer(since.microseconds)] }

    static func key(_ region: BeaconRegionID, _ reader: String) -> String { "\(region)|\(reader)" }
}

/// The projection of regions of beacons.
enum BeaconRegionViews {
    /// A region with other beacons than before starts without readers.
    static func set(_ event: BeaconRegionSet, _ tables: some Tables) {
        let before = tables.get(BeaconRegionRow.self, event.region.rawValue)
        if let before, before.beacons != event.beacons { empty(event.region, tables) }
        tables.put(BeaconRegionRow(event))
    }

    static func removed(_ event: BeaconRegionRemoved, _ tables: some Tables) {
        empty(event.region, tables)
        tables.remove(BeaconRegionRow.self, event.region.rawValue)
    }

    private static func empty(_ region: BeaconRegionID, _ tables: some Tables) {
        for row in tables.find(RegionVisitRow.self, where: "region", is: region.rawValue, limit: .max) {
            tables.remove(RegionVisitRow.self, row.key)
        }
    }
}
