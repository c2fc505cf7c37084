public import EventSourcing
public import EventStore
import Postgres

/// View tables in a schema of the hub's database, written in the same transaction as the log.
///
/// Changed rows are in memory until the log's commit writes them with the position, or `flush` without a log. The
/// tables are disposable: if they do not exist in the declared shape, empty ones are created.
public final class PostgresTables: TableStore {
    private let session: PostgresSession
    private let place: ViewGeneration
    private let shape: TableShape
    private let tables: [String: PostgresTable]
    private var caches: [String: RowCache] = [:]
    private var changedRows = 0
    private var failure: LogFailure?
    public private(set) var position: Position = 0
    public private(set) var taken: ViewGeneration?

    /// Opens tables on a separate connection, without a log.
    public convenience init(
        _ conninfo: String, _ schemas: [TableSchema], at place: ViewGeneration = .live
    ) throws(LogFailure) {
        let session = try PostgresSession(conninfo)
        try asking("open the views") { () throws(PostgresError) in
            try session.connection.execute("SET client_min_messages = warning; SET search_path = pg_catalog")
        }
        try self.init(session, schemas, at: place)
    }

    init(
        _ session: PostgresSession, _ schemas: [TableSchema], at place: ViewGeneration = .live
    ) throws(LogFailure) {
        self.session = session
        self.place = place
        shape = try TableShape(schemas)
        tables = Dictionary(
            shape.tables.map { ($0.name, PostgresTable($0, in: place)) }, uniquingKeysWith: { first, _ in first })
        if place == .live { taken = try ViewSchemas.settle(session.connection, for: shape) }
        position = try prepare()
    }

    public func get<Row: TableRow>(_ type: Row.Type, _ key: String) -> Row? {
        guard let table = table(of: Row.self) else { return nil }
        do throws(LogFailure) {
            return try caches[table.schema.name, default: RowCache()].row(key) { () throws(LogFailure) in
                try ask(table.get(key)).first?.cells
            }
        } catch {
            fail(error)
            return nil
        }
    }

    public func put<Row: TableRow>(_ row: Row) {
        assert(row.isWhole, "\(row) differs from its decoded cells")
        guard let table = table(of: Row.self) else { return }
        change(row, table.schema.name, row.key)
    }

    public func remove<Row: TableRow>(_ type: Row.Type, _ key: String) {
        guard let table = table(of: Row.self) else { return }
        change(nil, table.schema.name, key)
    }

    public func scan<Row: TableRow>(_ type: Row.Type, prefix: String, after: String?, limit: Int) -> [Row] {
        rows(type) { $0.scan(prefix: prefix, after: after, limit: limit) }
    }

    public func find<Row: TableRow>(_ type: Row.Type, where column: String, is value: String, limit: Int) -> [Row] {
        rows(type) { $0.find(column, value, limit: limit) }
    }

    public func flush(at position: Position) throws(LogFailure) {
        if let failure { throw failure }
        guard changedRows > 0 || session.isOpen || position != self.position else { return }
        guard !session.isHeldByLog else {
            throw LogFailure(operation: "flush", message: "the log beside it has not committed")
        }
        do throws(PostgresError) {
            try session.commit(takeChanges() + [keep(position)])
            self.position = position
        } catch {
            throw fail(error, "flush")
        }
    }

    public func digests() throws(LogFailure) -> [TableDigest] {
        if let failure { throw failure }
        do throws(LogFailure) {
            try write(takeChanges())
            return try ViewSchemas.digests(at: place, in: session.connection)
        } catch {
            fail(error)
            throw error
        }
    }

    public func wipe() throws(LogFailure) {
        if let failure { throw failure }
        guard !session.isHeldByLog else {
            throw LogFailure(operation: "wipe", message: "the log beside it has not committed")
        }
        do throws(PostgresError) {
            if session.isOpen { try session.rollback() }
            caches = [:]
            changedRows = 0
            try create()
            position = 0
        } catch {
            throw fail(error, "wipe")
        }
    }

    /// Returns the statements with which the log's commit stores the changes and the new position.
    ///
    /// Returns none unless the tables are projected up to `kept`, the position that the log committed before.
    func takeCalls(from kept: Position, to position: Position) throws(LogFailure) -> [PostgresCall] {
        if let failure { throw failure }
        guard self.position == kept else { return [] }
        self.position = position
        return takeChanges() + [keep(position)]
    }
}

extension PostgresTables {
    private func table<Row: TableRow>(of type: Row.Type) -> PostgresTable? {
        guard failure == nil else { return nil }
        guard let table = tables[Row.schema.name], Row.fits(table.schema) else {
            fail(LogFailure(operation: "use a table", RowDecodingError(table: Row.schema.name, key: "")))
            return nil
        }
        return table
    }

    private func change(_ row: (any TableRow)?, _ name: String, _ key: String) {
        changedRows += caches[name, default: RowCache()].change(row, for: BinaryString(key))
        guard changedRows >= StoreLimits.rowsDirty else { return }
        do throws(LogFailure) {
            try write(takeChanges())
        } catch {
            fail(error)
        }
    }

    private func rows<Row: TableRow>(_ type: Row.Type, _ call: (PostgresTable) -> PostgresCall?) -> [Row] {
        guard let table = table(of: Row.self) else { return [] }
        do throws(LogFailure) {
            guard let call = call(table) else {
                throw LogFailure(operation: "find", message: "\(table.schema.name) has no such index")
            }
            try write(takeChanges(of: table.schema.name))
            return try ask(call).map { row throws(LogFailure) in try Row(stored: row.key, row.cells) }
        } catch {
            fail(error)
            return []
        }
    }

    private func ask(_ call: PostgresCall) throws(LogFailure) -> [(key: String, cells: [Cell])] {
        let rows = try asking("read rows") { () throws(PostgresError) in
            try session.connection.query(call.sql, call.values)
        }
        return try rows.map { row throws(LogFailure) in try PostgresTable.row(row) }
    }

    /// Returns the statements for all changed rows, and marks these as written.
    private func takeChanges() -> [PostgresCall] {
        tables.keys.sorted().flatMap { takeChanges(of: $0) }
    }

    private func takeChanges(of name: String) -> [PostgresCall] {
        guard let table = tables[name], let changes = caches[name]?.takeChanges(), !changes.isEmpty else { return [] }
        changedRows -= changes.count
        return table.write(changes)
    }

    /// Writes to the open transaction, which the log's commit or `flush` commits.
    private func write(_ calls: [PostgresCall]) throws(LogFailure) {
        guard !calls.isEmpty else { return }
        try asking("write rows") { () throws(PostgresError) in try session.write(calls) }
    }

    private func keep(_ position: Position) -> PostgresCall {
        ("UPDATE \(place.schemaName).view_position SET position = $1", [.integer(Int64(clamping: position))])
    }

    private func fail(_ failure: LogFailure) {
        if self.failure == nil { self.failure = failure }
    }

    private func fail(_ error: PostgresError, _ operation: String) -> LogFailure {
        let failure = LogFailure(operation, error)
        fail(failure)
        return failure
    }
}

// The schema.
extension PostgresTables {
    /// Opens the tables, or creates empty ones if the shape differs. Returns the position up to which they are
    /// projected.
    private func prepare() throws(LogFailure) -> Position {
        let kept = try ViewSchemas.read(place, in: session.connection)
        if let kept, kept.shape == shape.text { return kept.position }
        try asking("open the views") { () throws(PostgresError) in try create() }
        return 0
    }

    /// Drops all tables and creates the declared ones, empty, at position 0.
    private func create() throws(PostgresError) {
        try session.begin()
        try session.connection.execute(
            """
            DROP SCHEMA IF EXISTS \(place.schemaName) CASCADE;
            CREATE SCHEMA \(place.schemaName);
            CREATE TABLE \(place.schemaName).view_position(position bigint NOT NULL, shape text NOT NULL)
            """)
        for schema in shape.tables {
            try session.connection.execute(PostgresTable.create(schema, in: place))
        }
        try session.commit([
            ("INSERT INTO \(place.schemaName).view_position(position, shape) VALUES (0, $1)", [.text(shape.text)])
        ])
    }
}
