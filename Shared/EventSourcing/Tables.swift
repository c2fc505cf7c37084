/// One value of a row.
public enum Cell: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
}

/// The shape of one view table: a text key and named columns.
public struct TableSchema: Sendable, Equatable {
    /// What the cells of a column hold, if they are not null.
    public enum Kind: Sendable, Equatable { case integer, real, text }

    public let name: String
    /// The columns after `key`, in the order that rows give their cells.
    public let columns: [(name: String, kind: Kind)]
    /// Columns that are looked up often.
    public let indexed: [String]
    /// Raised when the same events fold into other cells from now on: what older builds have stored is folded anew.
    public let version: Int

    public init(
        _ name: String, _ columns: [(name: String, kind: Kind)], indexed: [String] = [], version: Int = 1
    ) {
        self.name = name
        self.columns = columns
        self.indexed = indexed
        self.version = version
    }

    public static func == (left: TableSchema, right: TableSchema) -> Bool {
        left.name == right.name && left.indexed == right.indexed && left.version == right.version
            && left.columns.map(\.name) == right.columns.map(\.name)
            && left.columns.map(\.kind) == right.columns.map(\.kind)
    }
}

/// A row of a view: a value with a key that knows its cells, and is all that they say: tables may give back the value
/// that was put or one that was read from its cells.
public protocol TableRow: Equatable, Sendable {
    static var schema: TableSchema { get }
    var key: String { get }
    /// As many as the schema has columns, in its order.
    var cells: [Cell] { get }
    /// How much memory the row takes, in usual rows: 1, or more for one that grows with what it tells.
    var weight: Int { get }
    init(key: String, cells: [Cell]) throws(RowDecodingError)
}

extension TableRow {
    public var weight: Int { 1 }
}

/// A stored row does not have the shape its table says.
public struct RowDecodingError: Error, Equatable, Sendable {
    public let table: String
    public let key: String

    public init(table: String, key: String) {
        self.table = table
        self.key = key
    }
}

/// What views and decisions see of a service's tables: keyed rows, the latest change first. Implementations keep them
/// in SQLite, Postgres or memory; none of them folds.
///
/// A failing storage is not an answer a fold could act on: implementations keep the first failure, answer nothing
/// from then on, and `flush` throws it.
public protocol Tables: AnyObject {
    func get<Row: TableRow>(_ type: Row.Type, _ key: String) -> Row?
    func put(_ row: some TableRow)
    func remove<Row: TableRow>(_ type: Row.Type, _ key: String)
    /// Rows whose key begins with `prefix`, after the key `after` if given, in byte order of their keys.
    func scan<Row: TableRow>(_ type: Row.Type, prefix: String, after: String?, limit: Int) -> [Row]
    /// Rows whose indexed column is `value`, in byte order of their keys.
    func find<Row: TableRow>(_ type: Row.Type, where column: String, is value: String, limit: Int) -> [Row]
}

extension Tables {
    public func scan<Row: TableRow>(_ type: Row.Type, prefix: String = "", limit: Int = 1000) -> [Row] {
        scan(type, prefix: prefix, after: nil, limit: limit)
    }
}
