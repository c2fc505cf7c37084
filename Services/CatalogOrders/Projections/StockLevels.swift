import EventSourcing
import Events
import Vocabulary

/// A lot whose level is not the one that was published last. The key is the lot.
struct UnpublishedLevelRow: TableRow {
    static let schema = TableSchema("unpublished_level", [])

    let key: String

    init(_ lot: LotID) { key = lot.rawValue }

    init(key: String, cells: [Cell]) throws(RowDecodingError) { self.key = key }

    var cells: [Cell] { [] }
}

/// The levels of lots, which are published in the commit that changes them.
enum StockLevels {
    /// Notes whether the level of a lot, as it is now, has to be published. A lot without stock has none.
    static func compare(_ lot: LotID, _ tables: some Tables) {
        guard let row = tables.get(StockRow.self, lot.rawValue) else { return }
        if level(of: row, tables) == row.published {
            tables.remove(UnpublishedLevelRow.self, lot.rawValue)
        } else {
            tables.put(UnpublishedLevelRow(lot))
        }
    }

    /// Notes the level that was published last.
    static func note(_ event: StockLevelChanged, _ tables: some Tables) {
        guard var row = tables.get(StockRow.self, event.lot.rawValue) else { return }
        row.published = Stock.Level(
            boxes: event.boxes, held: event.held, ordered: event.ordered, free: event.free)
        tables.put(row)
        compare(event.lot, tables)
    }

    /// Returns the level of a lot as it is now.
    static func level(of row: StockRow, _ tables: some Tables) -> Stock.Level {
        Stock.level(of: row.state, isSaleable: tables.get(MarketLotRow.self, row.key)?.isSaleable ?? true)
    }
}
