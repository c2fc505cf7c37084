import EventSourcing
import SQLite
import System

/// Creates the file of a service's view tables, or opens and checks an existing one.
enum ViewFile {
    /// Opens the file at `path` with tables of that shape. Returns the position up to which they are projected, and
    /// whether the file was damaged and was created again.
    ///
    /// A file that was not closed is checked completely: it is disposable, but a wrong row would not be noticed.
    static func open(
        _ path: String, for shape: TableShape
    ) throws(LogFailure) -> (database: Database, position: Position, isRenewed: Bool) {
        do throws(SQLiteError) {
            if let (database, position) = try openSound(path, for: shape) { return (database, position, false) }
        } catch {
            guard error.isCorrupt else { throw LogFailure("open the views", error) }
        }
        do throws(SystemError) {
            for suffix in ["-wal", "-shm", ""] { try File.remove(path + suffix) }
        } catch {
            throw LogFailure(operation: "remove damaged views", message: "\(error)")
        }
        return try storing("open the views") { () throws(SQLiteError) in
            guard let (database, position) = try openSound(path, for: shape) else {
                throw SQLiteError(code: 11, operation: "open", message: "a new file is damaged")
            }
            return (database, position, true)
        }
    }

    /// Returns nil for a damaged file.
    private static func openSound(
        _ path: String, for shape: TableShape
    ) throws(SQLiteError) -> (Database, Position)? {
        let database = try Database(path: path, mode: .writer)
        // Losing the last flushes is harmless, because the views are rebuilt from the journal. They only have to be
        // intact.
        try database.execute("PRAGMA synchronous = NORMAL")
        let names = try database.query("SELECT name FROM sqlite_schema WHERE name = 'view_position'")
        guard !names.isEmpty else {
            try create(shape, in: database)
            return (database, 0)
        }
        guard let row = try database.query("SELECT position, shape, closed FROM view_position").first, row.count == 3,
            case .integer(let position) = row[0]
        else { return nil }
        if row[2] != .integer(1), try !database.quickCheck().isEmpty { return nil }
        guard row[1] == .text(shape.text) else {
            try create(shape, in: database)
            return (database, 0)
        }
        try mark(closed: false, in: database)
        return (database, Position(clamping: position))
    }

    static func mark(closed: Bool, in database: Database) throws(SQLiteError) {
        _ = try database.query("UPDATE view_position SET closed = ?", [.integer(closed ? 1 : 0)])
    }

    /// Drops all tables and creates the declared ones, empty, at position 0.
    static func create(_ shape: TableShape, in database: Database) throws(SQLiteError) {
        try database.execute("BEGIN IMMEDIATE")
        for name in try names(in: database) { try database.execute("DROP TABLE \(TableFile.quoted(name))") }
        try database.execute("DROP TABLE IF EXISTS view_position")
        try database.execute(
            "CREATE TABLE view_position(position INTEGER NOT NULL, shape TEXT NOT NULL, closed INTEGER NOT NULL)")
        for schema in shape.tables {
            for statement in TableFile.create(schema) { try database.execute(statement) }
        }
        _ = try database.query(
            "INSERT INTO view_position(position, shape, closed) VALUES(0, ?, 0)", [.text(shape.text)])
        try database.execute("COMMIT")
    }

    static func tables(of shape: TableShape, in database: Database) throws(SQLiteError) -> [String: TableFile] {
        var tables: [String: TableFile] = [:]
        for schema in shape.tables { tables[schema.name] = try TableFile(schema, in: database) }
        return tables
    }

    /// Returns the digest of every table, declared or not.
    static func digests(in database: Database) throws(SQLiteError) -> [TableDigest] {
        try names(in: database).map { name throws(SQLiteError) in
            let statement = try database.prepare("SELECT * FROM \(TableFile.quoted(name)) ORDER BY 1")
            var digest = RowDigest()
            while try statement.step() {
                digest.add(key: statement.text(0), cells: try TableFile.cells(of: statement))
            }
            return digest.finish(table: name)
        }
    }

    /// Returns the names of all tables in the database's catalogue except SQLite's and the position's, in byte order.
    static func names(in database: Database) throws(SQLiteError) -> [String] {
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
