public import EventSourcing
import SQLite
import System

/// View tables in one SQLite file, with changed rows held in memory until they are flushed.
///
/// A flush waits for no disk (synchronous=NORMAL): a power cut can take the last flushes back together with their
/// position, but never leaves half of one.
public final class SQLiteTables: TableStore {
    /// A table, and what is remembered of it.
    private final class CachedTable {
        let table: TableFile
        var cache = RowCache()

        init(_ table: TableFile) {
            self.table = table
        }
    }

    private let database: Database
    public let path: String
    private let shape: TableShape
    private var tables: [String: CachedTable]
    /// The same by the type of the rows, once it was asked for: telling a type apart is quicker than a name.
    private var shelves: [ObjectIdentifier: CachedTable] = [:]
    private var changedRows = 0
    private var failure: LogFailure?
    /// About how many pages the WAL has that are not in the database yet, as in `SQLiteLog`.
    private var walPages = StoreLimits.walPagesIdle
    public private(set) var position: Position = 0
    public var mayLag: Bool { true }
    /// Whether the file was damaged, so that it was removed and the tables begin anew.
    public let isRenewed: Bool
    public private(set) var taken: ViewGeneration?

    /// Opens the live tables of a service's folder, or those beside them that are to take their place
    /// (`ViewGeneration.chosen`).
    public convenience init(folder: String, _ schemas: [TableSchema]) throws(LogFailure) {
        let views = SQLiteViewStore(folder)
        let taken = try views.settle(for: TableShape(schemas))
        try self.init(path: views.path(of: .live), schemas)
        self.taken = taken
    }

    /// Opens the file at `path`, or makes it; tables of another shape than `schemas` are emptied, and
    /// so is a damaged file.
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

    /// Tables in a file that has no name any more: it goes with this process, however that ends.
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
        guard let shelf = shelf(type) else { return nil }
        do throws(LogFailure) {
            return try shelf.cache.row(key) { () throws(LogFailure) in
                try storing("get") { () throws(SQLiteError) in try shelf.table.get(key) }
            }
        } catch {
            fail(error)
            return nil
        }
    }

    public func put<Row: TableRow>(_ row: Row) {
        assert(row.isWhole, "\(row) is not what its cells say")
        guard let shelf = shelf(Row.self) else { return }
        change(row, shelf, row.key)
    }

    public func remove<Row: TableRow>(_ type: Row.Type, _ key: String) {
        guard let shelf = shelf(type) else { return }
        change(nil, shelf, key)
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
            (tables, shelves) = ([:], [:])
            changedRows = 0
            try ViewFile.create(shape, in: database)
            tables = try ViewFile.tables(of: shape, in: database).mapValues(CachedTable.init)
            position = 0
        } catch {
            throw fail(error, "wipe")
        }
    }

    /// Ends the store: what is not flushed is dropped, the file is marked as whole, and the WAL is emptied unless a
    /// reader still needs it.
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
    private func shelf<Row: TableRow>(_ type: Row.Type) -> CachedTable? {
        guard failure == nil else { return nil }
        if let shelf = shelves[ObjectIdentifier(type)] { return shelf }
        guard let shelf = tables[Row.schema.name], Row.fits(shelf.table.schema) else {
            fail(LogFailure(operation: "use a table", RowDecodingError(table: Row.schema.name, key: "")))
            return nil
        }
        shelves[ObjectIdentifier(type)] = shelf
        return shelf
    }

    private func change(_ row: (any TableRow)?, _ shelf: CachedTable, _ key: String) {
        changedRows += shelf.cache.change(row, for: BinaryString(key))
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
        guard let shelf = shelf(type) else { return [] }
        do throws(LogFailure) {
            let found = try storing("read rows") { () throws(SQLiteError) in
                try writeChanges(of: Row.schema.name)
                return try read(shelf.table)
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

    /// Changed rows go into the open transaction, which `flush` ends.
    private func writeChanges(of name: String) throws(SQLiteError) {
        guard let shelf = tables[name], case let changes = shelf.cache.takeChanges(), !changes.isEmpty else { return }
        try begin()
        for (key, cells) in changes { try shelf.table.write(cells, for: key.text) }
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
