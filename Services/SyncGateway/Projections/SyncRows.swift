import EventSourcing
import Events
import JSON
import Vocabulary

/// A record as clients synchronise it. The key is `<owner>|<table>|<id>`; the owner is empty for public records.
struct SyncRow: TableRow {
    static let schema = TableSchema(
        "sync_record", [("body", .text), ("made", .integer), ("changed", .integer), ("gone", .integer)], version: 4)

    let key: String
    /// The record as JSON; empty once the record is deleted.
    var body: String
    /// The hub position at which the record was created.
    var made: Position
    /// The hub position at which the record changed last (see ``SyncRecordWriter``).
    var changed: Position
    var isGone: Bool

    init(key: String, body: String, made: Position, changed: Position) {
        self.key = key
        self.body = body
        self.made = made
        self.changed = changed
        isGone = false
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        body = try cells.text()
        made = Position(try cells.integer())
        changed = Position(try cells.integer())
        isGone = try cells.flag()
    }

    var cells: [Cell] {
        [.text(body), .integer(Int64(made)), .integer(Int64(changed)), Cell(isGone)]
    }

    /// The members of the record, or nil if the body is empty.
    var members: [(String, JSONAny)]? {
        guard case .object(let members)? = JSONAny(text: Array(body.utf8)) else { return nil }
        return members
    }

    /// Returns a member's text, or nil if it is missing or not a string.
    func text(_ name: String) -> String? {
        guard case .string(let text)? = members?.first(where: { $0.0 == name })?.1 else { return nil }
        return text
    }
}

extension JSONAny {
    /// Parses JSON text; nil if it is malformed.
    init?(text: [UInt8]) {
        do throws(JSONError) {
            try self.init(json: JSONValue.parse(text))
        } catch {
            return nil
        }
    }

    /// Creates the JSON value that `value` encodes to.
    init(telling value: some JSONWritable) {
        var json = JSONWriter()
        value.write(to: &json)
        self = JSONAny(text: json.bytes) ?? .null
    }
}

/// The order in which records changed: one row per record, moved at every change. The key is `<position>|<record's
/// key>`.
struct SyncLogRow: TableRow {
    static let schema = TableSchema("sync_log", [("record", .text)])

    let key: String
    let record: String

    init(_ record: String, at position: Position) {
        key = Self.key(record, at: position)
        self.record = record
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        record = try cells.text()
    }

    var cells: [Cell] { [.text(record)] }

    static func key(_ record: String, at position: Position) -> String { "\(prefix(position))|\(record)" }

    /// Returns the position as twenty digits, so that keys sort by number. The prefix itself sorts before all keys of
    /// the position.
    static func prefix(_ position: Position) -> String {
        let digits = String(position)
        return String(repeating: "0", count: max(0, 20 - digits.utf8.count)) + digits
    }
}

/// The remaining stock of a lot. The key is the lot.
struct SyncLotRow: TableRow {
    static let schema = TableSchema(
        "sync_lot",
        [
            ("farm", .text), ("gtin", .text), ("product", .text), ("harvested", .integer), ("boxes", .integer),
            ("held", .integer), ("ordered", .integer), ("unreserved", .integer), ("blocked", .text),
            ("recalled", .text), ("gone", .integer), ("sold", .integer), ("offers", .text), ("holds", .text),
        ])

    let key: String
    var farm: String?
    var gtin: String?
    var product: String?
    var harvested: Instant?
    /// The boxes that are not collected, as the market publishes them: all of those below.
    var boxes = 0
    var held = 0
    var ordered = 0
    var unreserved = 0
    var blocked: String?
    var recalled: String?
    /// Whether the lot has left the farm.
    var isGone = false
    /// Whether the lot was ever offered or counted for sale. Only such lots are shown to clients.
    var isSold = false
    /// The offers made from the lot, in order of publication.
    var offers: [String] = []
    /// The open holds; the lot is not sold while there are any.
    var holds = OpenHolds()

    init(_ lot: String) {
        key = lot
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        farm = try cells.optionalText()
        gtin = try cells.optionalText()
        product = try cells.optionalText()
        harvested = try cells.optionalInteger().map { Instant(microseconds: $0) }
        boxes = try cells.int()
        held = try cells.int()
        ordered = try cells.int()
        unreserved = try cells.int()
        blocked = try cells.optionalText()
        recalled = try cells.optionalText()
        isGone = try cells.flag()
        isSold = try cells.flag()
        // An offer's name holds no spaces.
        offers = try cells.text().split(separator: " ").map(String.init)
        holds = OpenHolds(text: try cells.text())
    }

    var cells: [Cell] {
        [
            Cell(farm), Cell(gtin), Cell(product), Cell(harvested?.microseconds), .integer(Int64(boxes)),
            .integer(Int64(held)), .integer(Int64(ordered)), .integer(Int64(unreserved)), Cell(blocked),
            Cell(recalled), Cell(isGone), Cell(isSold), .text(offers.joined(separator: " ")), .text(holds.text),
        ]
    }

    /// Whether no stock is left or promised. Clients no longer need such a lot, unless it was recalled.
    var isOver: Bool { (boxes <= 0 || isGone) && held <= 0 && ordered <= 0 && blocked == nil && recalled == nil }

    /// The boxes that can be ordered. Recalls and holds may arrive before the market has published that there are none.
    var free: Int { blocked == nil && recalled == nil && !isGone && !holds.isHeld ? unreserved : 0 }
}
