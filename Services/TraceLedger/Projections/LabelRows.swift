import EventSourcing
import Vocabulary

/// A key that labels are signed with. The row's key is the four letters on labels.
struct LabelKeyRow: TableRow {
    static let schema = TableSchema(
        "label_key", [("public_key", .text), ("since", .integer), ("revoked", .integer), ("reason", .text)])

    let key: String
    let publicKey: String
    let since: Instant
    var revoked: Instant?
    var reason: String?

    init(kid: String, publicKey: String, since: Instant) {
        key = kid
        self.publicKey = publicKey
        self.since = since
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        publicKey = try cells.text()
        since = Instant(microseconds: try cells.integer())
        revoked = try cells.optionalInteger().map { Instant(microseconds: $0) }
        reason = try cells.optionalText()
    }

    var cells: [Cell] { [.text(publicKey), .integer(since.microseconds), Cell(revoked?.microseconds), Cell(reason)] }
}

/// The newest passport of a lot. The key is the lot.
struct PassportRow: TableRow {
    static let schema = TableSchema("passport", [("event", .text), ("issued", .integer), ("story", .text)])

    let key: String
    /// The id of the `PassportIssued` event.
    let event: UUID
    let issued: Instant
    /// SHA-256 of the passport's JSON, in hex, for detecting changes.
    let story: String

    init(_ lot: LotID, event: UUID, issued: Instant, story: String) {
        key = lot.rawValue
        self.event = event
        self.issued = issued
        self.story = story
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        event = try cells.text { UUID($0) }
        issued = Instant(microseconds: try cells.integer())
        story = try cells.text()
    }

    var cells: [Cell] { [.text(event.description), .integer(issued.microseconds), .text(story)] }
}

/// The item number that a farm uses for a product. The key is `<farm>|<product>`.
struct LedgerProductRow: TableRow {
    static let schema = TableSchema("product", [("gtin", .text)], indexed: ["gtin"], version: 2)

    let key: String
    let gtin: GTIN
    var product: String { String(key.drop { $0 != "|" }.dropFirst()) }

    init(farm: FarmID, product: String, gtin: GTIN) {
        key = "\(farm)|\(product)"
        self.gtin = gtin
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        gtin = try cells.text(GTIN.init)
    }

    var cells: [Cell] { [.text(gtin.digits)] }
}
