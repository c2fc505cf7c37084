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
            ("width", .integer), ("height", .integer), ("camera", .text),
        ], indexed: ["photograph", "picture"])

    let key: String
    let photograph: String
    let taken: Instant
    let picture: String
    let preview: String
    let thumbnail: String
    let width: Int
    let height: Int
    let camera: String?

    init(_ event: PhotographTaken, at time: Instant) {
        let rest = String(Instant.latest.microseconds - time.microseconds)
        key = "\(event.place)|" + String(repeating: "0", count: max(0, 20 - rest.count)) + rest + "|\(event.photograph)"
        photograph = event.photograph
        taken = time
        picture = event.picture
        preview = event.preview
        thumbnail = event.thumbnail
        width = event.width
        height = event.height
        camera = event.camera
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
    }

    var cells: [Cell] {
        [
            .text(photograph), .integer(taken.microseconds), .text(picture), .text(preview), .text(thumbnail),
            .integer(Int64(width)), .integer(Int64(height)), Cell(camera),
        ]
    }

    /// `plot/p1`
    var place: String { String(key.prefix { $0 != "|" }) }

    static func find(_ photograph: String, in tables: any Tables) -> PhotographRow? {
        tables.find(PhotographRow.self, where: "photograph", is: photograph, limit: 1).first
    }

    static func remove(_ event: PhotographRemoved, from tables: some Tables) {
        guard let row = find(event.photograph, in: tables) else { return }
        tables.remove(PhotographRow.self, row.key)
    }
}
