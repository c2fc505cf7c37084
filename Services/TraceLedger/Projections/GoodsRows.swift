import EventSourcing
import Events
import Vocabulary

/// A kind of goods with its limits. The key is the kind; the title is there for people who read the table.
struct GoodsRow: TableRow {
    static let schema = TableSchema("goods", [("setting", .text), ("title", .text)])

    let setting: GoodsLimitsSet

    init(_ setting: GoodsLimitsSet) {
        self.setting = setting
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        setting = try cells.event()
    }

    var key: String { setting.goods }

    var cells: [Cell] { [Cell(event: setting), .text(setting.title)] }
}

/// The limits that were last published for a store. The key is the store; the title is there for people who read the
/// table.
struct StorageLimitsRow: TableRow {
    static let schema = TableSchema("storage_limits", [("published", .text), ("title", .text)])

    let published: StorageLimitsChanged

    init(_ published: StorageLimitsChanged) {
        self.published = published
    }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        published = try cells.event()
    }

    var key: String { published.store.rawValue }

    var cells: [Cell] { [Cell(event: published), .text(published.title)] }
}
