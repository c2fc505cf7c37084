import EventSourcing
import Vocabulary

/// A farm. The key is the farm.
struct FarmRow: TableRow {
    static let schema = TableSchema("farm", [("title", .text), ("zone", .text), ("country", .text)])

    let key: String
    var title: String
    var zone: String
    var country: String?

    init(_ farm: FarmID, title: String, zone: String, country: String?) {
        key = farm.rawValue
        self.title = title
        self.zone = zone
        self.country = country
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        title = try cells.text()
        zone = try cells.text()
        country = try cells.optionalText()
    }

    var cells: [Cell] { [.text(title), .text(zone), Cell(country)] }
}

/// A plot or a store of a farm. The key is the place as text: `plot/p1`.
struct PlaceRow: TableRow {
    static let schema = TableSchema(
        "place",
        [
            ("farm", .text), ("title", .text), ("crop", .text), ("area", .real), ("cold", .integer),
        ])

    let key: String
    var farm: FarmID
    var title: String
    var crop: String?
    var areaSquareMetres: Double?
    var cold = false

    init(_ place: Place, farm: FarmID, title: String, crop: String? = nil, area: Double? = nil, cold: Bool = false) {
        key = place.description
        self.farm = farm
        self.title = title
        self.crop = crop
        areaSquareMetres = area
        self.cold = cold
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        farm = FarmID(try cells.text())
        title = try cells.text()
        crop = try cells.optionalText()
        areaSquareMetres = try cells.optionalReal()
        cold = try cells.flag()
    }

    var cells: [Cell] {
        [
            .text(farm.rawValue), .text(title), Cell(crop), Cell(areaSquareMetres), Cell(cold),
        ]
    }
}
