import EventSourcing
import Events
import Vocabulary

/// A list of items that are counted together. The key is the inventory.
struct InventoryRow: TableRow {
    static let schema = TableSchema(
        "inventory",
        [
            ("title", .text), ("place", .text), ("items", .integer), ("open_stocktake", .text), ("plan", .text),
            ("is_of_boxes", .integer),
        ], indexed: ["place"])

    let key: String
    var title: String
    var place: Place?
    /// SHA-256 of the picture on which items have a spot.
    var plan: String?
    /// Whether it consists of the boxes of the lots at its place, instead of items.
    var isOfBoxes: Bool
    /// The number of items that were not removed.
    var items = 0
    /// The stocktake that is not finished.
    var open: StocktakeID?

    init(_ event: InventorySet) {
        key = event.inventory.rawValue
        title = event.title
        place = event.place
        plan = event.plan
        isOfBoxes = event.boxes ?? false
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        title = try cells.text()
        place = try cells.optionalText().flatMap(Place.init)
        items = Int(try cells.integer())
        open = try cells.optionalText().map { StocktakeID($0) }
        plan = try cells.optionalText()
        isOfBoxes = try cells.flag()
    }

    var cells: [Cell] {
        [
            .text(title), Cell(place?.description), .integer(Int64(items)), Cell(open?.rawValue), Cell(plan),
            Cell(isOfBoxes),
        ]
    }
}

/// An item of an inventory. The key is the item; a removed one stays, for the stocktakes that were open then.
struct ItemRow: TableRow, Equatable {
    static let schema = TableSchema(
        "inventory_item",
        [
            ("inventory", .text), ("title", .text), ("place", .text), ("beacon", .text), ("code", .text),
            ("value", .integer), ("currency", .text), ("changed", .integer), ("removed", .integer),
            ("picture", .text), ("thumbnail", .text), ("spot_x", .integer), ("spot_y", .integer),
        ], indexed: ["inventory", "beacon", "code"])

    let key: String
    var inventory: InventoryID
    var title: String
    var place: Place?
    var beacon: String?
    var code: String?
    var value: Money?
    var picture: String?
    var thumbnail: String?
    var spot: PlanSpot?
    /// When it was added or last changed.
    var changed: Instant
    var removed: Instant?

    init(_ event: ItemSet, at time: Instant) {
        key = event.item.rawValue
        inventory = event.inventory
        title = event.title
        place = event.place
        beacon = event.beacon
        code = event.code
        value = event.value
        picture = event.picture
        thumbnail = event.thumbnail
        spot = event.spot
        changed = time
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        inventory = InventoryID(try cells.text())
        title = try cells.text()
        place = try cells.optionalText().flatMap(Place.init)
        beacon = try cells.optionalText()
        code = try cells.optionalText()
        let minor = try cells.optionalInteger()
        let currency = try cells.optionalText()
        value = minor.flatMap { minor in currency.flatMap { Currency($0) }.map { Money(minor, $0) } }
        changed = Instant(microseconds: try cells.integer())
        removed = try cells.optionalInteger().map { Instant(microseconds: $0) }
        picture = try cells.optionalText()
        thumbnail = try cells.optionalText()
        let (x, y) = (try cells.optionalInteger(), try cells.optionalInteger())
        spot = x.flatMap { x in y.map { PlanSpot(x: Int(x), y: Int($0)) } }
    }

    var cells: [Cell] {
        [
            .text(inventory.rawValue), .text(title), Cell(place?.description), Cell(beacon), Cell(code),
            Cell(value?.minor), Cell(value?.currency.code), .integer(changed.microseconds),
            Cell(removed?.microseconds), Cell(picture), Cell(thumbnail), Cell(spot.map { Int64($0.x) }),
            Cell(spot.map { Int64($0.y) }),
        ]
    }
}

/// A stocktake. The key is the stocktake.
struct StocktakeRow: TableRow {
    static let schema = TableSchema(
        "stocktake",
        [
            ("inventory", .text), ("title", .text), ("started", .integer), ("started_by", .text),
            ("sightings", .integer), ("finished", .integer), ("finished_by", .text), ("found", .integer),
            ("missing", .integer), ("unexpected", .integer), ("digest", .text), ("event", .text),
        ], indexed: ["inventory"])

    /// How a stocktake ended.
    struct End: Equatable {
        let at: Instant
        /// The person, as `person/<uuid>`.
        let by: String
        let found: Int
        let missing: Int
        let unexpected: Int
        let digest: String
        /// The id of the `StocktakeFinished` event.
        let event: UUID
    }

    let key: String
    let inventory: InventoryID
    let title: String
    let started: Instant
    /// The person, as `person/<uuid>`.
    let startedBy: String
    /// The number of different sightings, late ones included.
    var sightings = 0
    var end: End?

    init(_ event: StocktakeStarted, at time: Instant, by actor: Actor) {
        key = event.stocktake.rawValue
        inventory = event.inventory
        title = event.title
        started = time
        startedBy = actor.description
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        inventory = InventoryID(try cells.text())
        title = try cells.text()
        started = Instant(microseconds: try cells.integer())
        startedBy = try cells.text()
        sightings = Int(try cells.integer())
        let at = try cells.optionalInteger()
        let by = try cells.optionalText()
        let (found, missing) = (try cells.integer(), try cells.integer())
        let (unexpected, digest) = (try cells.integer(), try cells.text())
        let event = try cells.optionalText().flatMap { UUID($0) }
        guard let at else { return }
        guard let event else { throw RowDecodingError(table: Self.schema.name, key: key) }
        end = End(
            at: Instant(microseconds: at), by: by ?? "", found: Int(found), missing: Int(missing),
            unexpected: Int(unexpected), digest: digest, event: event)
    }

    var cells: [Cell] {
        [
            .text(inventory.rawValue), .text(title), .integer(started.microseconds), .text(startedBy),
            .integer(Int64(sightings)), Cell(end?.at.microseconds), Cell(end?.by), .integer(Int64(end?.found ?? 0)),
            .integer(Int64(end?.missing ?? 0)), .integer(Int64(end?.unexpected ?? 0)), .text(end?.digest ?? ""),
            Cell(end?.event.description),
        ]
    }
}
