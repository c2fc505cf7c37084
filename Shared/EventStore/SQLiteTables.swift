public import EventSourcing
import SQLite

/// View tables in one SQLite file, with changed rows held in memory until they are flushed.
///
/// A flush waits for no disk (synchronous=NORMAL): a power cut can take the last flushes back together with their
/// position, but never leaves half of one.
public final class SQLiteTables: TableStore {
    /// The views' file within its folder.
    public static let fileName = "views.db"

    private let database: Database
    private let shape: TableShape
    private var tables: [String: TableFile]
    private var caches: [String: RowCache] = [:]
    private var changedRows = 0
    private var failure: LogFailure?
    /// About how many pages the WAL has that are not in the database yet.
    private var walPages = 0
    public private(set) var position: Position = 0

    /// Opens the file at `path`, or makes it; tables of another shape than `schemas` are emptied.
    public init(path: String, _ schemas: [TableSchema]) throws(LogFailure) {
        shape = try TableShape(schemas)
        let shape = shape
        (database, position, tables) = try storing("open the views") { () throws(SQLiteError) in
            let database = try Database(path: path, mode: .writer)
            // The journal is the truth; the views only have to stay whole, not to be the latest.
            try database.execute("PRAGMA synchronous = NORMAL")
            let position = try Self.prepare(database, for: shape)
            var tables: [String: TableFile] = [:]
            for schema in shape.tables { tables[schema.name] = try TableFile(schema, in: database) }
            return (database, position, tables)
        }
    }

    public func get<Row: TableRow>(_ type: Row.Type, _ key: String) -> Row? {
        guard let cells = cells(Row.schema.name, key) else { return nil }
        return row(type, key, cells)
    }

    public func put(_ row: some TableRow) {
        let cells = row.cells
        let name = type(of: row).schema.name
        guard let table = table(name) else { return }
        guard table.schema.fits(cells) else { return fail(LogFailure(operation: "put", BadRow(table: name, key: ""))) }
        change(cells, name, row.key)
    }

    public func remove<Row: TableRow>(_ type: Row.Type, _ key: String) {
        guard table(Row.schema.name) != nil else { return }
        change(nil, Row.schema.name, key)
    }

    public func scan<Row: TableRow>(_ type: Row.Type, prefix: String, after: String?, limit: Int) -> [Row] {
        rows(type) { table throws(SQLiteError) in
            try table.scan(prefix: ExactText(prefix), after: after.map { ExactText($0) }, limit: limit)
        }
    }

    public func find<Row: TableRow>(_ type: Row.Type, where column: String, is value: String, limit: Int) -> [Row] {
        rows(type) { table throws(SQLiteError) in try table.find(column, value, limit: limit) }
    }

    public func flush(at position: Position) throws(LogFailure) {
        if let failure { throw failure }
        do throws(SQLiteError) {
            for name in tables.keys.sorted() { try writeChanges(of: name) }
            guard position != self.position || database.inTransaction else { return }
            try begin()
            _ = try database.query("UPDATE view_position SET position = ?", [.integer(Int64(clamping: position))])
            try database.execute("COMMIT")
            walPages += 2
            self.position = position
            if walPages >= StoreLimits.walPagesBusy { try checkpoint() }
        } catch {
            throw fail(error, "flush")
        }
    }

    public func digests() throws(LogFailure) -> [TableDigest] {
        if let failure { throw failure }
        do throws(SQLiteError) {
            for name in tables.keys { try writeChanges(of: name) }
            return try Self.names(in: database).map { name throws(SQLiteError) in
                let statement = try database.prepare("SELECT * FROM \(TableFile.quoted(name)) ORDER BY 1")
                var digest = RowDigest()
                while try statement.step() {
                    digest.add(key: statement.text(0), cells: try TableFile.cells(of: statement))
                }
                return digest.finish(table: name)
            }
        } catch {
            throw fail(error, "digest")
        }
    }

    public func wipe() throws(LogFailure) {
        if let failure { throw failure }
        do throws(SQLiteError) {
            if database.inTransaction { try database.execute("ROLLBACK") }
            tables = [:]
            caches = [:]
            changedRows = 0
            try Self.create(shape, in: database)
            for schema in shape.tables { tables[schema.name] = try TableFile(schema, in: database) }
            position = 0
        } catch {
            throw fail(error, "wipe")
        }
    }

    /// For when there is nothing else to do: moves a grown WAL into the database.
    public func idle() throws(LogFailure) {
        if let failure { throw failure }
        guard walPages >= StoreLimits.walPagesIdle, !database.inTransaction else { return }
        do throws(SQLiteError) {
            try checkpoint()
        } catch {
            throw fail(error, "checkpoint")
        }
    }
}

extension SQLiteTables {
    private func table(_ name: String) -> TableFile? {
        guard failure == nil else { return nil }
        guard let table = tables[name] else {
            fail(LogFailure(operation: "use a table", BadRow(table: name, key: "")))
            return nil
        }
        return table
    }

    private func cells(_ name: String, _ key: String) -> [Cell]? {
        guard let table = table(name) else { return nil }
        let exact = ExactText(key)
        if let known = caches[name, default: RowCache()].row(exact) { return known }
        do throws(SQLiteError) {
            let found = try table.get(key)
            caches[name]?.learn(found, for: exact)
            return found
        } catch {
            _ = fail(error, "get")
            return nil
        }
    }

    private func change(_ cells: [Cell]?, _ name: String, _ key: String) {
        changedRows += caches[name, default: RowCache()].change(cells, for: ExactText(key))
        guard changedRows >= StoreLimits.rowsDirty else { return }
        do throws(SQLiteError) {
            for name in tables.keys { try writeChanges(of: name) }
        } catch {
            _ = fail(error, "write rows")
        }
    }

    private func rows<Row: TableRow>(
        _ type: Row.Type, _ read: (TableFile) throws(SQLiteError) -> [(key: String, cells: [Cell])]?
    ) -> [Row] {
        guard let table = table(Row.schema.name) else { return [] }
        do throws(SQLiteError) {
            try writeChanges(of: Row.schema.name)
            guard let found = try read(table) else {
                fail(LogFailure(operation: "find", message: "\(Row.schema.name) has no such index"))
                return []
            }
            var rows: [Row] = []
            rows.reserveCapacity(found.count)
            for (key, cells) in found {
                guard let row = row(type, key, cells) else { return [] }
                rows.append(row)
            }
            return rows
        } catch {
            _ = fail(error, "read rows")
            return []
        }
    }

    private func row<Row: TableRow>(_ type: Row.Type, _ key: String, _ cells: [Cell]) -> Row? {
        do throws(BadRow) {
            return try Row(key: key, cells: cells)
        } catch {
            fail(LogFailure(operation: "read a row", error))
            return nil
        }
    }

    /// Changed rows go into the open transaction, which `flush` ends.
    private func writeChanges(of name: String) throws(SQLiteError) {
        guard let table = tables[name], let changed = caches[name]?.changed, !changed.isEmpty else { return }
        try begin()
        // In order of keys, neighbours share pages.
        for (key, cells) in changed.sorted(by: { $0.key < $1.key }) { try table.write(cells, for: key.text) }
        changedRows -= changed.count
        walPages += changed.count
        caches[name]?.settle()
    }

    private func begin() throws(SQLiteError) {
        if !database.inTransaction { try database.execute("BEGIN IMMEDIATE") }
    }

    private func checkpoint() throws(SQLiteError) {
        try database.checkpoint()
        walPages = 0
    }

    private func fail(_ failure: LogFailure) {
        if self.failure == nil { self.failure = failure }
    }

    private func fail(_ error: SQLiteError, _ operation: String) -> LogFailure {
        let failure = LogFailure(operation, error)
        fail(failure)
        return failure
    }
}

extension SQLiteTables {
    /// Makes the tables fit the declared shape; gives the position up to which they are folded.
    private static func prepare(_ database: Database, for shape: TableShape) throws(SQLiteError) -> Position {
        let hasPosition = try !database.query("SELECT 1 FROM sqlite_schema WHERE name = 'view_position'").isEmpty
        if hasPosition {
            let row = try database.query("SELECT position, shape FROM view_position").first
            if case .integer(let position)? = row?.first, case .text(shape.text)? = row?.last {
                return Position(clamping: position)
            }
        }
        try create(shape, in: database)
        return 0
    }

    /// Drops every table there is and makes the declared ones, empty, at position 0.
    private static func create(_ shape: TableShape, in database: Database) throws(SQLiteError) {
        try database.execute("BEGIN IMMEDIATE")
        for name in try names(in: database) { try database.execute("DROP TABLE \(TableFile.quoted(name))") }
        try database.execute("DROP TABLE IF EXISTS view_position")
        try database.execute("CREATE TABLE view_position(position INTEGER NOT NULL, shape TEXT NOT NULL)")
        for schema in shape.tables {
            for statement in TableFile.create(schema) { try database.execute(statement) }
        }
        _ = try database.query("INSERT INTO view_position(position, shape) VALUES(0, ?)", [.text(shape.text)])
        try database.execute("COMMIT")
    }

    /// All tables by the database's own catalogue but SQLite's and the position's, in byte order.
    private static func names(in database: Database) throws(SQLiteError) -> [String] {
        let rows = try database.query(
            """
            SELECT name FROM sqlite_schema
            WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'view_position' ORDER BY name
            """)
        return rows.compactMap { row in
            if case .text(let name)? = row.first { return name }
            return nil
        }
    }
}
