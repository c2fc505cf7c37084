import EventSourcing
import Events
import JSON
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
        do {
            setting = try GoodsLimitsSet(json: JSONValue.parse(try cells.text()))
        } catch {
            throw RowDecodingError(table: Self.schema.name, key: key)
        }
    }

    var key: String { setting.goods }

    var cells: [Cell] {
        var json = JSONWriter()
        json.object(setting.write(fields:))
        return [.text(json.text), .text(setting.title)]
    }
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
        do {
            published = try StorageLimitsChanged(json: JSONValue.parse(try cells.text()))
        } catch {
            throw RowDecodingError(table: Self.schema.name, key: key)
        }
    }

    var key: String { published.store.rawValue }

    var cells: [Cell] {
        var json = JSONWriter()
        json.object(published.write(fields:))
        return [.text(json.text), .text(published.title)]
    }
}
