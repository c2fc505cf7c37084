import EventSourcing
import SQLite

/// One view table in a SQLite file: its statements and its cells.
final class TableFile {
    let schema: TableSchema
    private let database: Database
    private let select: Statement
    private let upsert: Statement
    private let delete: Statement
    private let scanFrom: Statement
    private let scanAfter: Statement
    private let finds: [String: Statement]

    init(_ schema: TableSchema, in database: Database) throws(SQLiteError) {
        self.schema = schema
        self.database = database
        let table = Self.quoted(schema.name)
        let columns = ["key"] + schema.columns.map { Self.quoted($0.name) }
        let list = columns.joined(separator: ", ")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let changes = columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let conflict = changes.isEmpty ? "NOTHING" : "UPDATE SET \(changes)"
        select = try database.prepare("SELECT \(list) FROM \(table) WHERE key = ?")
        upsert = try database.prepare(
            "INSERT INTO \(table)(\(list)) VALUES(\(marks)) ON CONFLICT(key) DO \(conflict)")
        delete = try database.prepare("DELETE FROM \(table) WHERE key = ?")
        scanFrom = try database.prepare("SELECT \(list) FROM \(table) WHERE key >= ? ORDER BY key")
        scanAfter = try database.prepare("SELECT \(list) FROM \(table) WHERE key > ? ORDER BY key")
        var finds: [String: Statement] = [:]
        for column in schema.indexed {
            finds[column] = try database.prepare(
                "SELECT \(list) FROM \(table) WHERE \(Self.quoted(column)) = ? ORDER BY key LIMIT ?")
        }
        self.finds = finds
    }

    /// Returns the statements that create a table. A column of reals has no type, because a REAL column stores −0 as 0.
    static func create(_ schema: TableSchema) -> [String] {
        let table = quoted(schema.name)
        let columns = schema.columns.map { column in
            switch column.kind {
            case .integer: "\(quoted(column.name)) INTEGER"
            case .text: "\(quoted(column.name)) TEXT"
            case .real: quoted(column.name)
            }
        }
        let list = (["key TEXT PRIMARY KEY NOT NULL"] + columns).joined(separator: ", ")
        return ["CREATE TABLE \(table)(\(list)) WITHOUT ROWID"]
            + schema.indexed.map { column in
                "CREATE INDEX \(quoted("\(schema.name)_by_\(column)")) ON \(table)(\(quoted(column)), key)"
            }
    }

    static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    func get(_ key: String) throws(SQLiteError) -> [Cell]? {
        defer { select.reset() }
        try select.bind(1, key)
        guard try select.step() else { return nil }
        return try Self.cells(of: select)
    }

    func write(_ cells: [Cell]?, for key: String) throws(SQLiteError) {
        guard let cells else {
            defer { delete.reset() }
            try delete.bind(1, key)
            _ = try delete.step()
            return
        }
        defer { upsert.reset() }
        try upsert.bind(1, key)
        for (index, cell) in cells.enumerated() {
            switch cell {
            case .null: try upsert.bindNull(index + 2)
            case .integer(let value): try upsert.bind(index + 2, value)
            case .text(let value): try upsert.bind(index + 2, value)
            // SQLite would store NaN as NULL, so its bits are stored as a blob.
            case .real(let value) where value.isNaN: try upsert.bind(index + 2, Self.bits(of: value))
            case .real(let value): try upsert.bind(index + 2, value)
            }
        }
        _ = try upsert.step()
    }

    func scan(prefix: BinaryString, after: BinaryString?, limit: Int) throws(SQLiteError) -> [(
        key: String, cells: [Cell]
    )] {
        let isAfter = after.map { $0 >= prefix } ?? false
        let statement = isAfter ? scanAfter : scanFrom
        defer { statement.reset() }
        try statement.bind(1, isAfter ? after?.text ?? "" : prefix.text)
        var rows: [(key: String, cells: [Cell])] = []
        while rows.count < limit, try statement.step() {
            let key = statement.text(0)
            guard BinaryString(key).begins(with: prefix) else { break }
            rows.append((key, try Self.cells(of: statement)))
        }
        return rows
    }

    /// Returns the rows with a value in a column, in order of keys; nil if the column has no index.
    func find(_ column: String, _ value: String, limit: Int) throws(SQLiteError) -> [(key: String, cells: [Cell])]? {
        guard let statement = finds[column] else { return nil }
        defer { statement.reset() }
        try statement.bind(1, value)
        try statement.bind(2, max(limit, 0))
        var rows: [(key: String, cells: [Cell])] = []
        while try statement.step() { rows.append((statement.text(0), try Self.cells(of: statement))) }
        return rows
    }

    /// Returns the cells after the key, as they are stored.
    static func cells(of statement: Statement) throws(SQLiteError) -> [Cell] {
        var cells: [Cell] = []
        let count = statement.columnCount
        cells.reserveCapacity(count - 1)
        for column in 1..<max(count, 1) {
            switch statement.value(column) {
            case .null: cells.append(.null)
            case .integer(let value): cells.append(.integer(value))
            case .real(let value): cells.append(.real(value))
            case .text(let value): cells.append(.text(value))
            case .blob(let bytes):
                guard bytes.count == 8 else {
                    throw SQLiteError(code: 20, operation: "read a cell", message: "bytes that are no number")
                }
                cells.append(.real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })))
            }
        }
        return cells
    }

    private static func bits(of value: Double) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (56 - $0 * 8)) }
    }
}
