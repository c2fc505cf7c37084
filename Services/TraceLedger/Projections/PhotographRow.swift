import EventSourcing
import Events
import Vocabulary

/// A photograph of a place. The key is `<place>|<microseconds until the latest time, 20 digits>|<photograph>`, so that
/// a scan begins with the newest.
struct PhotographRow: TableRow {
    static let schema = TableSchema(
        "photograph",
        [
            ("photograph", .text), ("taken", .integer), ("picture", .text), ("preview", .text), ("thumbnail", .text),
            ("width", .integer), ("height", .integer), ("camera", .text), ("shown_of", .text),
        ], indexed: ["photograph", "picture", "shown_of"])

    let key: String
    let photograph: String
    let taken: Instant
    let picture: String
    let preview: String
    let thumbnail: String
    let width: Int
    let height: Int
    let camera: String?
    /// Whether the stories of the lots that were there then show it.
    var isShown = false

    init(_ event: PhotographTaken, at time: Instant) {
        key = "\(Self.beginning(event.place, time))\(event.photograph)"
        photograph = event.photograph
        taken = time
        picture = event.picture
        preview = event.preview
        thumbnail = event.thumbnail
        width = event.width
        height = event.height
        camera = event.camera
    }

    /// Returns the keys' beginning of the photographs of a place and time.
    private static func beginning(_ place: Place, _ time: Instant) -> String {
        let rest = String(Instant.latest.microseconds - time.microseconds)
        return "\(place)|" + String(repeating: "0", count: max(0, 20 - rest.count)) + rest + "|"
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        photograph = try cells.text()
        taken = Instant(microseconds: try cells.integer())
        picture = try cells.text()
        preview = try cells.text()
        thumbnail = try cells.text()
        width = try cells.int()
        height = try cells.int()
        camera = try cells.optionalText()
        isShown = try cells.optionalText() != nil
    }

    var cells: [Cell] {
        [
            .text(photograph), .integer(taken.microseconds), .text(picture), .text(preview), .text(thumbnail),
            .integer(Int64(width)), .integer(Int64(height)), Cell(camera), Cell(isShown ? place : nil),
        ]
    }

    /// `plot/p1`
    var place: String { String(key.prefix { $0 != "|" }) }

    static func find(_ photograph: String, in tables: any Tables) -> PhotographRow? {
        tables.find(PhotographRow.self, where: "photograph", is: photograph, limit: 1).first
    }

    /// Returns the photographs of a place that stories show, of the given time, the oldest first.
    static func shown(of place: Place, from: Instant, to: Instant, in tables: any Tables) -> [PhotographRow] {
        tables.find(PhotographRow.self, where: "shown_of", is: place.description, limit: LedgerLimits.shownPhotographs)
            .filter { $0.taken >= from && $0.taken <= to }
            .sorted { ($0.taken, $0.key) < ($1.taken, $1.key) }
    }

    /// Returns the oldest part of a place's photographs: those that were taken before a time, the newest first.
    static func taken(before time: Instant, at place: Place, limit: Int, in tables: any Tables) -> [PhotographRow] {
        // The separator sorts after every name behind the same time, so those of that very microsecond stay.
        tables.scan(PhotographRow.self, prefix: "\(place)|", after: "\(beginning(place, time))~", limit: limit)
    }

    static func choose(_ event: PhotographChosen, in tables: some Tables) {
        guard var row = find(event.photograph, in: tables) else { return }
        row.isShown = event.isShown
        tables.put(row)
    }

    static func remove(_ event: PhotographRemoved, from tables: some Tables) {
        guard let row = find(event.photograph, in: tables) else { return }
        tables.remove(PhotographRow.self, row.key)
    }
}
