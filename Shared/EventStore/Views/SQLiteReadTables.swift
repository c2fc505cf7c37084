public import EventSourcing
import SQLite

/// Read-only tables for another thread than the writer's: the committed state, unchanged during one read.
public protocol ReadTables: Tables {
    /// The version of the tables in the current read. Reads with the same value have the same rows; −1 if it is
    /// unknown.
    var position: Int64 { get }
    /// Runs `body` on the newest committed state. Throws if anything in it could not be read.
    func read<Result>(_ body: () -> Result) throws(LogFailure) -> Result
}

/// The view tables of one SQLite file, on a read-only connection. One thread owns it.
///
/// It reads what `SQLiteTables` has flushed.
public final class SQLiteReadTables: ReadTables {
    private final class Source {
        let table: TableFile
        var cache = RowCache()

        init(_ table: TableFile) {
            self.table = table
        }
    }

    private let database: Database
    private let tables: [String: Source]
    private let positions: Statement
    /// The journal position of the tables when the cached rows were read.
    public private(set) var position: Int64 = -1
    private var failure: LogFailure?

    /// Opens the live tables in a service's folder. Requires that the service has created them.
    public init(folder: String, _ schemas: [TableSchema]) throws(LogFailure) {
        let (path, shape) = (SQLiteViewStore(folder).path(of: .live), try TableShape(schemas))
        (database, positions, tables) = try storing("open the views to read") { () throws(SQLiteError) in
            let database = try Database(path: path, mode: .reader)
            let tables = try ViewFile.tables(of: shape, in: database).mapValues(Source.init)
            return (database, try database.prepare("SELECT position FROM view_position"), tables)
        }
    }

    public func read<Result>(_ body: () -> Result) throws(LogFailure) -> Result {
        failure = nil
        try storing("begin a read") { () throws(SQLiteError) in
            try database.execute("BEGIN")
            try forgetOldRows()
        }
        let result = body()
        try storing("end a read") { () throws(SQLiteError) in try database.execute("COMMIT") }
        if let failure { throw failure }
        return result
    }

    /// Drops the cached rows if the position has changed.
    ///
    /// Must be the first statement of the transaction, because it determines the snapshot of all others.
    private func forgetOldRows() throws(SQLiteError) {
        defer { positions.reset() }
        let now = try positions.step() ? positions.integer(0) : -1
        guard now != position || now < 0 else { return }
        position = now
        for source in tables.values { source.cache = RowCache() }
    }

    public func get<Row: TableRow>(_ type: Row.Type, _ key: String) -> Row? {
        guard let source = source(type) else { return nil }
        do throws(LogFailure) {
            return try source.cache.row(key) { () throws(LogFailure) in
                try storing("get") { () throws(SQLiteError) in try source.table.get(key) }
            }
        } catch {
            fail(error)
            return nil
        }
    }

    public func scan<Row: TableRow>(_ type: Row.Type, prefix: String, after: String?, limit: Int) -> [Row] {
        rows(type) { table throws(SQLiteError) in
            try table.scan(prefix: BinaryString(prefix), after: after.map { BinaryString($0) }, limit: limit)
        }
    }

    public func find<Row: TableRow>(_ type: Row.Type, where column: String, is value: String, limit: Int) -> [Row] {
        rows(type) { table throws(SQLiteError) in try table.find(column, value, limit: limit) }
    }

    /// Makes the current read fail, because these tables are read-only.
    public func put(_ row: some TableRow) {
        fail(LogFailure(operation: "put", message: "these tables are only read"))
    }

    /// Makes the current read fail, because these tables are read-only.
    public func remove<Row: TableRow>(_ type: Row.Type, _ key: String) {
        fail(LogFailure(operation: "remove", message: "these tables are only read"))
    }

    private func rows<Row: TableRow>(
        _ type: Row.Type, _ read: (TableFile) throws(SQLiteError) -> [(key: String, cells: [Cell])]?
    ) -> [Row] {
        guard let source = source(type) else { return [] }
        do throws(LogFailure) {
            let found = try storing("read rows") { () throws(SQLiteError) in try read(source.table) }
            guard let found else {
                throw LogFailure(operation: "find", message: "\(Row.schema.name) has no such index")
            }
            return try found.map { row throws(LogFailure) in try Row(stored: row.key, row.cells) }
        } catch {
            fail(error)
            return []
        }
    }

    private func source<Row: TableRow>(_ type: Row.Type) -> Source? {
        guard failure == nil else { return nil }
        guard let source = tables[Row.schema.name], Row.fits(source.table.schema) else {
            fail(LogFailure(operation: "use a table", RowDecodingError(table: Row.schema.name, key: "")))
            return nil
        }
        return source
    }

    private func fail(_ failure: LogFailure) {
        if self.failure == nil { self.failure = failure }
    }
}
