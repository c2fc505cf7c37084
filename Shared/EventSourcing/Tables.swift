/// One value of a row.
public enum Cell: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
}

/// The schema of one view table: a text key and named columns.
public struct TableSchema: Sendable, Equatable {
    /// The kind of a column's cells; any cell may also be null.
    public enum Kind: Sendable, Equatable { case integer, real, text }

    /// The table's name.
    public let name: String
    /// The columns after `key`, in the order of a row's cells.
    public let columns: [(name: String, kind: Kind)]
    /// The columns with an index, which `find` requires.
    public let indexed: [String]
    /// The version of the projection. Raise it when the same events project to other cells; tables of an older version
    /// are rebuilt.
    public let version: Int

    /// Creates a schema.
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

/// A row of a view table: a value that its key and cells describe completely.
///
/// A table may return the value that was put, or one that it decoded from its cells.
///
/// ```
/// struct StockRow: TableRow {
///     static let schema = TableSchema("stock", [("lot", .text), ("boxes", .integer)], indexed: ["lot"])
///     var key: String
///     var lot: String
///     var boxes: Int
///     var cells: [Cell] { [.text(lot), .integer(Int64(boxes))] }
///     init(key: String, cells: [Cell]) throws(RowDecodingError) {
///         var reader = try CellReader(Self.schema, key, cells)
///         (self.key, lot, boxes) = (key, try reader.text(), try reader.int())
///     }
/// }
/// ```
public protocol TableRow: Equatable, Sendable {
    /// The schema of the row's table.
    static var schema: TableSchema { get }
    /// The row's primary key.
    var key: String { get }
    /// The cells, one for each column of the schema, in its order.
    var cells: [Cell] { get }
    /// The memory that the row takes, in ordinary rows: 1, or more for a row whose size grows with its contents.
    var weight: Int { get }
    /// Decodes a row. Throws if the cells do not match the schema.
    init(key: String, cells: [Cell]) throws(RowDecodingError)
}

extension TableRow {
    /// 1, for rows of ordinary size.
    public var weight: Int { 1 }
}

/// A stored row whose cells do not match the schema of its table.
public struct RowDecodingError: Error, Equatable, Sendable {
    /// The table's name.
    public let table: String
    /// The row's key.
    public let key: String

    /// Creates an error.
    public init(table: String, key: String) {
        self.table = table
        self.key = key
    }
}

/// A service's view tables, as projections and decisions use them: keyed rows that include the latest changes.
///
/// Implementations store them in SQLite, Postgres or memory. They do not project events themselves.
///
/// No method throws, because a projection cannot handle a storage failure. An implementation stores the first failure,
/// returns no rows from then on, and throws the failure from `flush`.
public protocol Tables: AnyObject {
    /// Returns the row of that key, or nil if there is none.
    func get<Row: TableRow>(_ type: Row.Type, _ key: String) -> Row?
    /// Inserts a row, or replaces the row of the same key.
    func put(_ row: some TableRow)
    /// Removes the row of that key, if there is one.
    func remove<Row: TableRow>(_ type: Row.Type, _ key: String)
    /// Returns at most `limit` rows whose key begins with `prefix`, after the key `after` if given, in byte order of
    /// keys.
    func scan<Row: TableRow>(_ type: Row.Type, prefix: String, after: String?, limit: Int) -> [Row]
    /// Returns at most `limit` rows whose indexed column is `value`, in byte order of keys.
    func find<Row: TableRow>(_ type: Row.Type, where column: String, is value: String, limit: Int) -> [Row]
}

extension Tables {
    /// Returns at most `limit` rows whose key begins with `prefix`, in byte order of keys.
    public func scan<Row: TableRow>(_ type: Row.Type, prefix: String = "", limit: Int = 1000) -> [Row] {
        scan(type, prefix: prefix, after: nil, limit: limit)
    }
}
