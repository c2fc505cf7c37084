import EventStore
import SQLite

/// The tables of a vault and its prepared statements.
struct VaultStatements {
    let put: Statement
    let get: Statement
    let find: Statement
    let all: Statement
    let allOf: Statement
    let delete: Statement
    let deleteRecords: Statement
    let key: Statement
    let putKey: Statement
    let deleteKey: Statement
    let erased: Statement
    let markErased: Statement

    private static let format: Int64 = 1

    /// Creates the tables in a new file. Throws if a newer version of Furrow wrote the file.
    static func prepare(_ database: Database) throws(SQLiteError) {
        // Deleted bytes are overwritten with zeros.
        guard case .integer(1)? = try database.query("PRAGMA secure_delete = ON").first?.first else {
            throw SQLiteError(code: 1, operation: "open", message: "secure_delete did not take")
        }
        guard case .integer(let found)? = try database.query("PRAGMA user_version").first?.first, found <= format else {
            throw SQLiteError(code: 1, operation: "open", message: "a newer Furrow wrote this vault")
        }
        guard found == 0 else { return }
        try database.execute(
            """
            BEGIN IMMEDIATE;
            CREATE TABLE record(
                kind TEXT NOT NULL, id TEXT NOT NULL, lookup TEXT, person TEXT, fields BLOB NOT NULL,
                PRIMARY KEY(kind, id)) WITHOUT ROWID;
            CREATE UNIQUE INDEX record_lookup ON record(kind, lookup) WHERE lookup IS NOT NULL;
            CREATE INDEX record_person ON record(person) WHERE person IS NOT NULL;
            CREATE TABLE personkey(person TEXT PRIMARY KEY NOT NULL, key BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE erased(person TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
            PRAGMA user_version = \(format);
            COMMIT;
            """)
    }

    init(_ database: Database) throws(SQLiteError) {
        put = try database.prepare(
            """
            INSERT INTO record(kind, id, lookup, person, fields) VALUES(?, ?, ?, ?, ?)
            ON CONFLICT(kind, id) DO UPDATE SET lookup = excluded.lookup, person = excluded.person,
            fields = excluded.fields
            """)
        get = try database.prepare("SELECT fields FROM record WHERE kind = ? AND id = ?")
        find = try database.prepare("SELECT id, fields FROM record WHERE kind = ? AND lookup = ?")
        all = try database.prepare("SELECT id, fields FROM record WHERE kind = ? AND id > ? ORDER BY id LIMIT ?")
        allOf = try database.prepare(
            "SELECT id, fields FROM record WHERE person = ? AND kind = ? ORDER BY id LIMIT ?")
        delete = try database.prepare("DELETE FROM record WHERE kind = ? AND id = ?")
        deleteRecords = try database.prepare("DELETE FROM record WHERE person = ?")
        key = try database.prepare("SELECT key FROM personkey WHERE person = ?")
        putKey = try database.prepare("INSERT INTO personkey(person, key) VALUES(?, ?)")
        deleteKey = try database.prepare("DELETE FROM personkey WHERE person = ?")
        erased = try database.prepare("SELECT 1 FROM erased WHERE person = ?")
        markErased = try database.prepare("INSERT INTO erased(person) VALUES(?) ON CONFLICT DO NOTHING")
    }
}

extension Statement {
    /// Returns the result of `read` for the first row, or nil if there is none, and resets the statement.
    func first<Result>(_ values: SQLValue..., read: (Statement) -> Result) throws(SQLiteError) -> Result? {
        defer { reset() }
        try bind(all: values)
        return try step() ? read(self) : nil
    }

    /// Returns the results of `read` for all rows.
    func rows<Result>(_ values: SQLValue..., read: (Statement) -> Result) throws(SQLiteError) -> [Result] {
        defer { reset() }
        try bind(all: values)
        var results: [Result] = []
        while try step() { results.append(read(self)) }
        return results
    }
}
