public import EventSourcing
public import EventStore
import Postgres

/// The live view tables of the hub's database, read-only, on a connection of their own. One thread owns it.
///
/// A read sees one committed state: it is a transaction with isolation level REPEATABLE READ.
public final class PostgresReadTables: ReadTables {
    private let connection: Connection
    private let tables: [String: PostgresTable]
    private var caches: [String: RowCache] = [:]
    /// The hub position of the tables when the cached rows were read.
    public private(set) var position: Int64 = -1
    private var failure: LogFailure?

    /// Connects to the hub's database. Requires that the service has created its tables.
    ///
    /// - Parameter conninfo: the libpq connection string of the hub's database.
    public init(_ conninfo: String, _ schemas: [TableSchema]) throws(LogFailure) {
        let shape = try TableShape(schemas)
        tables = Dictionary(
            shape.tables.map { ($0.name, PostgresTable($0, in: .live)) }, uniquingKeysWith: { first, _ in first })
        connection = try asking("open the views to read") { () throws(PostgresError) in
            let connection = try Connection(conninfo)
            try connection.execute("SET search_path = pg_catalog")
            return connection
        }
        guard try ViewSchemas.read(.live, in: connection)?.shape == shape.text else {
            throw LogFailure(operation: "open the views to read", message: "their tables have another shape")
        }
    }

    public func read<Result>(_ body: () -> Result) throws(LogFailure) -> Result {
        failure = nil
        try execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try forgetOldRows()
        let result = body()
        try execute("COMMIT")
        if let failure { throw failure }
        return result
    }

    /// Drops the cached rows if the position has changed.
    private func forgetOldRows() throws(LogFailure) {
        let now = try ViewSchemas.read(.live, in: connection).map { Int64(clamping: $0.position) } ?? -1
        guard now != position || now < 0 else { return }
        position = now
        caches = [:]
    }

    public func get<Row: TableRow>(_ type: Row.Type, _ key: String) -> Row? {
        guard let table = table(of: type) else { return nil }
        do throws(LogFailure) {
            return try caches[table.schema.name, default: RowCache()].row(key) { () throws(LogFailure) in
                try rows(table.get(key)).first?.cells
            }
        } catch {
            fail(error)
            return nil
        }
    }

    public func scan<Row: TableRow>(_ type: Row.Type, prefix: String, after: String?, limit: Int) -> [Row] {
        rows(type) { $0.scan(prefix: prefix, after: after, limit: limit) }
    }

    public func find<Row: TableRow>(_ type: Row.Type, where column: String, is value: String, limit: Int) -> [Row] {
        rows(type) { $0.find(column, value, limit: limit) }
    }

    /// Makes the current read fail, because these tables are read-only.
    public func put(_ row: some TableRow) {
        fail(LogFailure(operation: "put", message: "these tables are only read"))
    }

    /// Makes the current read fail, because these tables are read-only.
    public func remove<Row: TableRow>(_ type: Row.Type, _ key: String) {
        fail(LogFailure(operation: "remove", message: "these tables are only read"))
    }

    private func rows<Row: TableRow>(_ type: Row.Type, _ call: (PostgresTable) -> PostgresCall?) -> [Row] {
        guard let table = table(of: type) else { return [] }
        do throws(LogFailure) {
            guard let call = call(table) else {
                throw LogFailure(operation: "find", message: "\(table.schema.name) has no such index")
            }
            return try rows(call).map { row throws(LogFailure) in try Row(stored: row.key, row.cells) }
        } catch {
            fail(error)
            return []
        }
    }

    private func rows(_ call: PostgresCall) throws(LogFailure) -> [(key: String, cells: [Cell])] {
        let rows = try asking("read rows") { () throws(PostgresError) in try connection.query(call.sql, call.values) }
        return try rows.map { row throws(LogFailure) in try PostgresTable.row(row) }
    }

    private func execute(_ sql: String) throws(LogFailure) {
        try asking("read the views") { () throws(PostgresError) in try connection.execute(sql) }
    }

    private func table<Row: TableRow>(of type: Row.Type) -> PostgresTable? {
        guard failure == nil else { return nil }
        guard let table = tables[Row.schema.name], Row.fits(table.schema) else {
            fail(LogFailure(operation: "use a table", RowDecodingError(table: Row.schema.name, key: "")))
            return nil
        }
        return table
    }

    private func fail(_ failure: LogFailure) {
        if self.failure == nil { self.failure = failure }
    }
}
