import EventSourcing
import Events
import Vocabulary

/// One sighting of a stocktake. Two recordings of one sighting have the same key, so that the count is a set.
///
/// The key is `<stocktake>|<microseconds>|<person>|<bytes of thing>|<thing>|<device>`. It has the length of the thing,
/// because a code may contain the separator.
struct SightingRow: TableRow, Equatable {
    static let schema = TableSchema(
        "sighting",
        [
            ("thing", .text), ("at", .integer), ("by", .text), ("device", .text), ("place", .text), ("how", .text),
            ("is_late", .integer),
        ])

    let key: String
    let sighting: Sighting
    /// The person, as `person/<uuid>`.
    let by: String
    /// Whether it arrived after the end of the stocktake.
    let isLate: Bool

    init(_ sighting: Sighting, of stocktake: StocktakeID, by person: String, isLate: Bool) {
        let device = sighting.device ?? ""
        let (thing, at) = (sighting.thing, sighting.at.microseconds)
        key = "\(stocktake)|\(at)|\(person)|\(thing.utf8.count)|\(thing)|\(device)"
        self.sighting = sighting
        by = person
        self.isLate = isLate
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        let thing = try cells.text()
        let at = Instant(microseconds: try cells.integer())
        by = try cells.text()
        let device = try cells.optionalText()
        let place = try cells.optionalText().flatMap(Place.init)
        let how = try cells.text(SightingMethod.init(rawValue:))
        sighting = Sighting(thing: thing, at: at, how: how, place: place, device: device)
        isLate = try cells.integer() != 0
    }

    var cells: [Cell] {
        [
            .text(sighting.thing), .integer(sighting.at.microseconds), .text(by), Cell(sighting.device),
            Cell(sighting.place?.description), .text(sighting.how.rawValue), .integer(isLate ? 1 : 0),
        ]
    }

    /// Returns the same one of two sightings with one key, whichever was recorded first.
    func merged(with other: SightingRow) -> SightingRow {
        func order(_ row: SightingRow) -> (Int, String, String) {
            (row.isLate ? 1 : 0, row.sighting.place?.description ?? "", row.sighting.how.rawValue)
        }
        return order(other) < order(self) ? other : self
    }
}

/// The last decision on a difference. The key is `<stocktake>|<thing>`.
struct ResolutionRow: TableRow, Equatable {
    static let schema = TableSchema(
        "stocktake_resolution", [("resolution", .text), ("by", .text), ("at", .integer), ("reason", .text)])

    let key: String
    let resolution: DifferenceResolution
    /// The person, as `person/<uuid>`.
    let by: String
    let at: Instant
    let reason: String?

    init(_ event: DifferenceResolved, at time: Instant, by actor: Actor) {
        key = "\(event.stocktake)|\(event.thing)"
        resolution = event.resolution
        by = actor.description
        at = time
        reason = event.reason
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        resolution = try cells.text(DifferenceResolution.init(rawValue:))
        by = try cells.text()
        at = Instant(microseconds: try cells.integer())
        reason = try cells.optionalText()
    }

    var cells: [Cell] {
        [.text(resolution.rawValue), .text(by), .integer(at.microseconds), Cell(reason)]
    }
}

/// One line of a finished stocktake's report, as it stays. The key is `<stocktake>|<number>`, with six digits.
struct ReportLineRow: TableRow {
    static let schema = TableSchema("stocktake_line", [("line", .text), ("state", .text), ("title", .text)])

    let key: String
    /// The line's JSON.
    let line: String
    /// The state and the title, for people who read the table.
    let state: String
    let title: String

    init(_ line: StocktakeTally.Line, _ number: Int, of stocktake: StocktakeID) {
        let digits = String(number)
        key = "\(stocktake)|" + String(repeating: "0", count: 6 - digits.count) + digits
        self.line = line.text
        state = line.state.rawValue
        title = line.title
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        line = try cells.text()
        state = try cells.text()
        title = try cells.text()
    }

    var cells: [Cell] { [.text(line), .text(state), .text(title)] }
}
