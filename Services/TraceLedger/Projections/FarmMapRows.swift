import EventSourcing
import Events
import Vocabulary

/// The map of a farm: a picture on which its plots and stores have a spot. The key is the farm.
struct FarmMapRow: TableRow {
    static let schema = TableSchema("farm_map", [("plan", .text)])

    let key: String
    /// SHA-256 of the picture.
    let plan: String

    init(_ event: FarmMapSet) {
        key = event.farm.rawValue
        plan = event.plan
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        plan = try cells.text()
    }

    var cells: [Cell] { [.text(plan)] }
}

/// A place on the map of its farm. The key is `<farm>|<place>`.
struct MapPinRow: TableRow {
    static let schema = TableSchema("farm_map_pin", [("place", .text), ("spot_x", .integer), ("spot_y", .integer)])

    let key: String
    let pin: MapPin

    init(_ pin: MapPin, of farm: FarmID) {
        key = "\(farm)|\(pin.place)"
        self.pin = pin
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        pin = MapPin(place: try cells.text(Place.init), spot: PlanSpot(x: try cells.int(), y: try cells.int()))
    }

    var cells: [Cell] {
        [.text(pin.place.description), .integer(Int64(pin.spot.x)), .integer(Int64(pin.spot.y))]
    }
}
