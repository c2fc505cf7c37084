import EventSourcing
import Events
import Vocabulary

/// The position of a lot in the list of all lots: lots on the farm before those handed over, the newest harvest first.
///
/// The key is `<0 on the farm, 1 handed over>|<hours from the harvest to the hour 99,999,999, 8 digits>|<lot>`.
struct ListedLotRow: TableRow {
    static let schema = TableSchema(
        "listed_lot",
        [("lot", .text), ("product", .text), ("gtin", .text), ("plot", .text), ("harvested", .integer)], version: 2)

    let key: String
    let lot: String
    /// The searchable text, which does not change after the harvest.
    let product: String
    let gtin: String
    let plot: String
    let harvested: Instant

    init(_ lot: LotRow) {
        harvested = lot.state.harvestedAt ?? .init(hours: 0)
        key = "\(lot.state.handedTo == nil ? 0 : 1)|\(Self.digits(ofHour: harvested.hours))|\(lot.key)"
        self.lot = lot.key
        product = lot.state.harvest?.product ?? ""
        gtin = lot.state.harvest?.gtin.digits ?? ""
        plot = lot.state.harvest?.plot.rawValue ?? ""
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        lot = try cells.text()
        product = try cells.text()
        gtin = try cells.text()
        plot = try cells.text()
        harvested = Instant(microseconds: try cells.integer())
    }

    var cells: [Cell] { [.text(lot), .text(product), .text(gtin), .text(plot), .integer(harvested.microseconds)] }

    /// Returns the digits of an hour; later hours sort first.
    static func digits(ofHour hour: Int64) -> String { (99_999_999 - hour).hourDigits }
}
