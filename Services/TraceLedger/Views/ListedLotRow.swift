import EventSourcing
import Vocabulary

/// Where a lot stands in the list of all: those on the farm come before those that were handed over, the newest harvest
/// first. The key is `<0 on the farm, 1 handed over>|<hours from the harvest to the hour 99,999,999, 8 digits>|<lot>`.
struct ListedLotRow: TableRow {
    static let schema = TableSchema("listed_lot", [("lot", .text)])

    let key: String
    let lot: String

    init(_ lot: LotRow) {
        let hours = (lot.state.harvestedAt ?? .init(hours: 0)).hours
        key = "\(lot.state.handedTo == nil ? 0 : 1)|\((99_999_999 - hours).hourDigits)|\(lot.key)"
        self.lot = lot.key
    }

    init(key: String, cells: [Cell]) throws(BadRow) {
        var cells = try CellReader(Self.schema, key, cells)
        self.key = key
        lot = try cells.text()
    }

    var cells: [Cell] { [.text(lot)] }
}
