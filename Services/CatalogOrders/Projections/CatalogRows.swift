import EventSourcing
import Events
import JSON
import Vocabulary

/// A farm: its time zone from the ledger and its profile in the directory.
struct MarketFarmRow: TableRow {
    static let schema = TableSchema(
        "farm",
        [
            ("title", .text), ("zone", .text), ("listed", .integer), ("county", .text), ("region", .text),
            ("street", .text), ("telephone", .text), ("website", .text), ("description", .text), ("latitude", .real),
            ("longitude", .real), ("picture", .text), ("thumbnail", .text), ("alt", .text), ("has_goods", .integer),
        ], indexed: ["county"])

    let key: String
    var zone: String
    /// The directory entry. A farm that has not published a profile has only its title.
    var profile: FarmProfiled
    var isListed: Bool

    init(_ farm: FarmID, title: String, zone: String) {
        key = farm.rawValue
        self.zone = zone
        profile = FarmProfiled(title: title, hasGoods: false)
        isListed = false
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        let title = try cells.text()
        zone = try cells.text()
        isListed = try cells.flag()
        profile = FarmProfiled(
            title: title, county: try cells.optionalText(), region: try cells.optionalText(),
            street: try cells.optionalText(), telephone: try cells.optionalText(), website: try cells.optionalText(),
            description: try cells.optionalText(), latitude: try cells.optionalReal(),
            longitude: try cells.optionalReal(), picture: try cells.optionalText(),
            thumbnail: try cells.optionalText(), alt: try cells.optionalText(),
            hasGoods: try cells.flag())
    }

    var cells: [Cell] {
        [
            .text(profile.title), .text(zone), Cell(isListed), Cell(profile.county), Cell(profile.region),
            Cell(profile.street), Cell(profile.telephone), Cell(profile.website), Cell(profile.description),
            Cell(profile.latitude), Cell(profile.longitude), Cell(profile.picture), Cell(profile.thumbnail),
            Cell(profile.alt),
            Cell(profile.hasGoods),
        ]
    }
}

/// A lot in the market: the boxes packed, and whether it was recalled, is on hold, or has left the farm.
struct MarketLotRow: TableRow {
    static let schema = TableSchema(
        "lot",
        [
            ("farm", .text), ("product", .text), ("packed", .integer), ("harvested", .integer), ("recalled", .text),
            ("ancestors", .text), ("gone", .integer), ("holds", .text),
        ])

    let key: String
    let farm: FarmID
    /// The product's name at harvest.
    let product: String
    var packed = 0
    let harvested: Instant
    var recalled: String?
    /// The lot that this one was split off, then that lot's own ancestors.
    let ancestors: [LotID]
    /// Whether the whole lot was handed over to another party.
    var isGone = false
    /// The open holds. While there are any, boxes of the lot are neither sold nor handed to buyers.
    var holds = OpenHolds()

    /// Whether its boxes may be sold, as far as the ledger is concerned.
    var isSaleable: Bool { recalled == nil && !isGone && !holds.isHeld }

    init(_ lot: LotID, farm: FarmID, product: String, harvested: Instant) {
        key = lot.rawValue
        self.farm = farm
        self.product = product
        self.harvested = harvested
        ancestors = []
    }

    init(_ lot: LotID, splitOff parent: MarketLotRow) {
        key = lot.rawValue
        farm = parent.farm
        product = parent.product
        harvested = parent.harvested
        ancestors = [LotID(parent.key)] + parent.ancestors
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        farm = FarmID(try cells.text())
        product = try cells.text()
        packed = try cells.int()
        harvested = Instant(microseconds: try cells.integer())
        recalled = try cells.optionalText()
        // Lot names contain no spaces.
        ancestors = try cells.text().split(separator: " ").map { LotID(String($0)) }
        isGone = try cells.flag()
        holds = OpenHolds(text: try cells.text())
    }

    var cells: [Cell] {
        [
            .text(farm.rawValue), .text(product), .integer(Int64(packed)), .integer(harvested.microseconds),
            Cell(recalled), .text(ancestors.map(\.rawValue).joined(separator: " ")), Cell(isGone),
            .text(holds.text),
        ]
    }
}

/// The stock of a lot. The key is the lot.
struct StockRow: TableRow {
    static let schema = TableSchema(
        "stock",
        [
            ("boxes", .integer), ("held", .integer), ("ordered", .integer), ("collected", .integer), ("blocked", .text),
            ("published_boxes", .integer), ("published_held", .integer), ("published_ordered", .integer),
            ("published_free", .integer),
        ])

    let key: String
    var state: Stock.State
    /// The level that was published last.
    var published = Stock.Level()

    init(_ lot: LotID, _ state: Stock.State = Stock.initial) {
        key = lot.rawValue
        self.state = state
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        state = Stock.State(
            boxes: try cells.int(), held: try cells.int(), ordered: try cells.int(), collected: try cells.int(),
            blocked: try cells.optionalText())
        published = Stock.Level(
            boxes: try cells.int(), held: try cells.int(), ordered: try cells.int(), free: try cells.int())
    }

    var cells: [Cell] {
        [
            .integer(Int64(state.boxes)), .integer(Int64(state.held)), .integer(Int64(state.ordered)),
            .integer(Int64(state.collected)), Cell(state.blocked), .integer(Int64(published.boxes)),
            .integer(Int64(published.held)), .integer(Int64(published.ordered)), .integer(Int64(published.free)),
        ]
    }
}

/// A place where orders are picked up.
struct PickupRow: TableRow {
    static let schema = TableSchema("pickup", [("farm", .text), ("place", .text), ("closed", .integer)])

    let key: String
    var farm: FarmID?
    var place: PickupOpened
    var isClosed = false

    init(_ place: PickupOpened, farm: FarmID?) {
        key = place.pickup.rawValue
        self.farm = farm
        self.place = place
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        farm = try cells.optionalText().map { FarmID($0) }
        place = try cells.text(PickupOpened.init(row:))
        isClosed = try cells.flag()
    }

    var cells: [Cell] {
        var json = JSONWriter()
        json.object { place.write(fields: &$0) }
        return [Cell(farm?.rawValue), .text(json.text), Cell(isClosed)]
    }
}

extension PickupOpened {
    /// Reads what a row has; nil if it is something else.
    fileprivate init?(row text: String) {
        do throws(JSONError) {
            try self.init(json: JSONValue.parse(text))
        } catch {
            return nil
        }
    }
}

/// A favourite of a person. The key is `<person>|<favourite>`.
struct FavouriteRow: TableRow {
    static let schema = TableSchema("favourite", [("since", .integer)])

    let key: String
    let since: Instant

    init(_ person: PersonID, _ favourite: Favourite, since: Instant) {
        key = Self.key(person, favourite)
        self.since = since
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        since = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] { [.integer(since.microseconds)] }
    var favourite: String { String(key.drop { $0 != "|" }.dropFirst()) }

    static func key(_ person: PersonID, _ favourite: Favourite) -> String { "\(person)|\(favourite)" }
}
