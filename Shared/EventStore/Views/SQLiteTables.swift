public import EventSourcing
import SQLite
import System

/// View tables in one SQLite file, with changed rows in memory until they are flushed.
///
/// A flush does not wait for the disk (synchronous=NORMAL). A power cut may undo the last flushes together with their
/// positions, but never half of one.
///
/// ```
/// let tables = try SQLiteTables(folder: folder, [LotRow.schema])
/// tables.put(row)
/// try tables.flush(at: log.head.position)
/// ```
public final class SQLiteTables: TableStore {
    /// A table and its cached rows.
    private final class CachedTable {
        let table: TableFile
        var cache = RowCache()

        init(_ table: TableFile) {
            self.table = table
        }
    }

    private let database: Database
    /// The path of the database file.
    public let path: String
    private let shape: TableShape
    private var tables: [String: CachedTable]
    /// The tables by the type of their rows: comparing a type is quicker than comparing a name.
    private var tablesByType: [ObjectIdentifier: CachedTable] = [:]
    private var changedRows = 0
    private var failure: LogFailure?
    /// An estimate of the WAL pages that are not checkpointed yet, as in `SQLiteLog`.
    private var walPages = StoreLimits.walPagesIdle
    public private(set) var position: Position = 0
    public var mayLag: Bool { true }
    /// Whether the file was damaged and was replaced by empty tables.
    public let isRenewed: Bool
    public private(set) var taken: ViewGeneration?

    /// Opens the live tables in a service's folder. Before that, another generation becomes live if it fits this build
    /// (`ViewGeneration.chosen`).
    public convenience init(folder: String, _ schemas: [TableSchema]) throws(LogFailure) {
        let views = SQLiteViewStore(folder)
        let taken = try views.settle(for: TableShape(schemas))
        try self.init(path: views.path(of: .live), schemas)
        self.taken = taken
    }

    /// Opens or creates the file at `path`. If the file is damaged or its shape differs from `schemas`, the tables are
    /// emptied.
    public init(path: String, _ schemas: [TableSchema]) throws(LogFailure) {
        self.path = path
        shape = try TableShape(schemas)
        let shape = shape
        let opened = try ViewFile.open(path, for: shape)
        (database, position, isRenewed) = (opened.database, opened.position, opened.isRenewed)
        tables = try storing("open the views") { () throws(SQLiteError) in
            try ViewFile.tables(of: shape, in: opened.database).mapValues(CachedTable.init)
        }
    }

    /// Creates tables in a file without a name, which is removed when this process ends, even by a crash.
    public convenience init(namelessIn folder: String, _ schemas: [TableSchema]) throws(LogFailure) {
        let path = "\(folder)/views.\(Machine.processID).\(Clock.monotonicMicroseconds()).db"
        try self.init(path: path, schemas)
        do throws(SystemError) {
            for suffix in ["", "-wal", "-shm", "-writer"] { try File.remove(path + suffix) }
        } catch {
            throw LogFailure(operation: "open the views", message: "\(error)")
        }
    }

    public func get<Row: TableRow>(_ type: Row.Type, _ key: String) -> Row? {
        guard let cached = cachedTable(type) else { return nil }
        do throws(LogFailure) {
            return try cached.cache.row(key) { () throws(LogFailure) in
                try storing("get") { () throws(SQLiteError) in try cached.table.get(key) }
            }
        } catch {
            fail(error)
            return nil
        }
    }

    public func put<Row: TableRow>(_ row: Row) {
        assert(row.isWhole, "\(row) differs from its decoded cells")
        guard let cached = cachedTable(Row.self) else { return }
        change(row, cached, row.key)
    }

    public func remove<Row: TableRow>(_ type: Row.Type, _ key: String) {
        guard let cached = cachedTable(type) else { return }
        change(nil, cached, key)
    }

    public func scan<Row: TableRow>(_ type: Row.Type, prefix: String, after: String?, limit: Int) -> [Row] {
        rows(type) { table throws(SQLiteError) in
            try table.scan(prefix: BinaryString(prefix), after: after.map { BinaryString($0) }, limit: limit)
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
            return try ViewFile.digests(in: database)
        } catch {
            throw fail(error, "digest")
        }
    }

    public func wipe() throws(LogFailure) {
        if let failure { throw failure }
        do throws(SQLiteError) {
            if database.inTransaction { try database.execute("ROLLBACK") }
            (tables, tablesByType) = ([:], [:])
            changedRows = 0
            try ViewFile.create(shape, in: database)
            tables = try ViewFile.tables(of: shape, in: database).mapValues(CachedTable.init)
            position = 0
        } catch {
            throw fail(error, "wipe")
        }
    }

    /// Closes the store: drops unflushed changes, marks the file as intact, and empties the WAL unless a reader still
    /// uses it.
    public func close() throws(LogFailure) {
        if let failure { throw failure }
        do throws(SQLiteError) {
            if database.inTransaction { try database.execute("ROLLBACK") }
            try ViewFile.mark(closed: true, in: database)
            try database.checkpoint(truncate: true)
        } catch {
            if !error.isBusy { throw fail(error, "close") }
        }
        fail(LogFailure(operation: "use", message: "the tables are closed"))
    }

    /// Checkpoints a grown WAL and frees the cached pages. Call it when the service has nothing else to do.
    public func idle() throws(LogFailure) {
        if let failure { throw failure }
        guard walPages >= StoreLimits.walPagesIdle, !database.inTransaction else { return }
        do throws(SQLiteError) {
            try checkpoint()
            database.releaseMemory()
        } catch {
            throw fail(error, "checkpoint")
        }
    }
}

extension SQLiteTables {
    private func cachedTable<Row: TableRow>(_ type: Row.Type) -> CachedTable? {
        guard failure == nil else { return nil }
        if let cached = tablesByType[ObjectIdentifier(type)] { return cached }
        guard let cached = tables[Row.schema.name], Row.fits(cached.table.schema) else {
            fail(LogFailure(operation: "use a table", RowDecodingError(table: Row.schema.name, key: "")))
            return nil
        }
        tablesByType[ObjectIdentifier(type)] = cached
        return cached
    }

    private func change(_ row: (any TableRow)?, _ cached: CachedTable, _ key: String) {
        changedRows += cached.cache.change(row, for: BinaryString(key))
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
        guard let cached = cachedTable(type) else { return [] }
        do throws(LogFailure) {
            let found = try storing("read rows") { () throws(SQLiteError) in
                try writeChanges(of: Row.schema.name)
                return try read(cached.table)
            }
            guard let found else {
                throw LogFailure(operation: "find", message: "\(Row.schema.name) has no such index")
            }
            return try found.map { row throws(LogFailure) in try Row(stored: row.key, row.cells) }
        } catch {
            fail(error)
            return []
        }
    }

    /// Writes the changed rows of a table to the open transaction, which `flush` commits.
    private func writeChanges(of name: String) throws(SQLiteError) {
        guard let cached = tables[name], case let changes = cached.cache.takeChanges(), !changes.isEmpty else { return }
        try begin()
        for (key, cells) in changes { try cached.table.write(cells, for: key.text) }
        changedRows -= changes.count
        walPages += changes.count
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
