import CSQLite
import Glibc
import Synchronization

/// One connection to one SQLite file, used by one thread; it closes with the last reference to it and its statements.
///
/// ```
/// let database = try Database(path: path, mode: .writer)
/// try database.execute("BEGIN IMMEDIATE")
/// let insert = try database.prepare("INSERT INTO events VALUES (?, ?)")
/// try insert.run(1, "first")
/// try database.execute("COMMIT")
/// ```
@safe public final class Database {
    /// The purpose of a connection, which sets its pragmas; opening fails unless SQLite reports each as set.
    public enum Mode: Sendable {
        /// For events: creates the file if missing (0600), WAL, every commit synced, checkpoints only on request.
        case writer
        /// For views, which are disposable: not synced. A crash of the machine can lose the file; a crash of the
        /// process cannot.
        case scratch
        /// For data that may be fetched again: synced only at checkpoints, which happen on request. A power cut can
        /// lose the commits since the last checkpoint, and does not damage the file.
        case cache
        /// Reads committed data; writes and checkpoints nothing.
        case reader
        /// A private database in memory, deleted with the connection; the path is ignored.
        case memory
    }

    let handle: OpaquePointer
    private let lock: WriterLock?

    /// Opens the file at `path`, which is a path and never a `file:` URI.
    ///
    /// Throws SQLITE_BUSY if another connection writes the file, SQLITE_CANTOPEN, and an error with `isCorrupt` for a
    /// damaged file. Throws SQLITE_ERROR if a setting did not take effect, as for a file that cannot be in WAL mode.
    public init(path: String, mode: Mode) throws(SQLiteError) {
        let isWriting = [.writer, .scratch, .cache].contains(mode)
        // This build of SQLite parses such paths as URIs, whose parameters could override the mode.
        guard mode == .memory || !(path.isEmpty || path.hasPrefix("file:") || path == Self.memoryPath) else {
            throw SQLiteError(code: SQLITE_CANTOPEN, operation: "open", message: "not the path of a file")
        }
        lock = isWriting ? try WriterLock(besides: path) : nil
        if isWriting { Self.claim(path) }
        unsafe handle = try Self.open(mode == .memory ? Self.memoryPath : path, readOnly: mode == .reader)
        try configure(SQLITE_DBCONFIG_DEFENSIVE, true)
        try configure(SQLITE_DBCONFIG_DQS_DML, false)
        try configure(SQLITE_DBCONFIG_DQS_DDL, false)
        if mode == .reader { try configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) }
        for pragma in Pragma.settings(for: mode) { try set(pragma) }
        // Without this query a reader would detect only at its first query that the file is no database.
        _ = try query("PRAGMA schema_version")
        if isWriting { unsafe SyncCount.watch(handle) }
    }

    /// The number of disk syncs by the writing connections of this process.
    public static var syncs: Int { SyncCount.total.load(ordering: .relaxed) }

    deinit {
        // Statements hold a reference to the database, so none is left to make this fail.
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs one or more statements and discards their rows.
    public func execute(_ sql: String) throws(SQLiteError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, "execute") }
    }

    /// Runs `body` in one transaction, and rolls back if it throws.
    public func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // A failed COMMIT may have ended the transaction already.
            if inTransaction { try execute("ROLLBACK") }
            throw error
        }
    }

    /// Compiles exactly one statement, to be stored and run many times.
    public func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        try Statement(sql, in: self)
    }

    /// Runs one statement with values for its parameters and returns all its rows.
    public func query(_ sql: String, _ values: [SQLValue] = []) throws(SQLiteError) -> [[SQLValue]] {
        let statement = try prepare(sql)
        try statement.bind(all: values)
        var rows: [[SQLValue]] = []
        while try statement.step() {
            var row: [SQLValue] = []
            for column in 0..<statement.columnCount { row.append(statement.value(column)) }
            rows.append(row)
        }
        return rows
    }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    public var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

    /// Whether the connection is inside a transaction.
    public var inTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Moves the contents of the WAL into the database; with `truncate` waits for readers and empties the WAL file.
    ///
    /// Returns the pages in the WAL and how many of them were moved: fewer than all while a reader still needs the
    /// rest. Throws `isBusy` inside a transaction or, with `truncate`, if a reader outlasts the busy timeout.
    @discardableResult
    public func checkpoint(truncate: Bool = false) throws(SQLiteError) -> (pages: Int, moved: Int) {
        var pages: Int32 = 0
        var moved: Int32 = 0
        let kind = truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, "main", kind, &pages, &moved)
        guard code == SQLITE_OK else { throw error(code, "checkpoint") }
        return (Int(pages), Int(moved))
    }

    /// Frees the pages that are cached and unchanged; they are read again when they are needed.
    public func releaseMemory() {
        unsafe sqlite3_db_release_memory(handle)
    }

    /// Checks the file for damage; returns one line for each finding, none if it is sound.
    ///
    /// Throws `isCorrupt` if the damage prevents the check.
    public func quickCheck() throws(SQLiteError) -> [String] {
        var findings: [String] = []
        for row in try query("PRAGMA quick_check") {
            if case .text(let line)? = row.first, line != "ok" { findings.append(line) }
        }
        return findings
    }

    /// Returns the error of the call that has just failed with `code`.
    func error(_ code: Int32, _ operation: String) -> SQLiteError {
        unsafe Self.error(code, operation, of: handle)
    }
}

extension Database {
    static var memoryPath: String { ":memory:" }

    static func open(_ path: String, readOnly: Bool) throws(SQLiteError) -> OpaquePointer {
        let access = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(
            path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let database = unsafe opened else { throw SQLiteError(code: code, operation: "open") }
        guard code == SQLITE_OK else {
            defer { unsafe sqlite3_close_v2(database) }
            throw unsafe error(code, "open", of: database)
        }
        return unsafe database
    }

    static func error(_ code: Int32, _ operation: String, of database: OpaquePointer) -> SQLiteError {
        // The message is SQLite's own: it names tables, columns and tokens of the statement, and no bound value.
        unsafe SQLiteError(
            code: code, operation: operation, message: String(cString: sqlite3_errmsg(database)),
            systemCode: code & 0xff == SQLITE_IOERR || code & 0xff == SQLITE_CANTOPEN
                ? sqlite3_system_errno(database) : 0)
    }

    /// Creates a missing file readable to its owner only; SQLite gives its WAL and index the same mode.
    ///
    /// An existing file is not opened: closing its descriptor would release SQLite's locks on it.
    static func claim(_ path: String) {
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    private func configure(_ option: Int32, _ isOn: Bool) throws(SQLiteError) {
        var now: Int32 = -1
        let code = unsafe furrow_sqlite_configure(handle, option, isOn ? 1 : 0, &now)
        guard code == SQLITE_OK, now == (isOn ? 1 : 0) else {
            throw SQLiteError(code: SQLITE_ERROR, operation: "open", message: "setting \(option) did not take effect")
        }
    }

    private func set(_ pragma: Pragma) throws(SQLiteError) {
        _ = try query("PRAGMA \(pragma.name)=\(pragma.value)")
        let found = try query("PRAGMA \(pragma.name)").first?.first
        let isSet =
            switch found {
            case .integer(let number)?: String(number) == pragma.reads
            case .text(let word)?: word == pragma.reads
            default: false
            }
        guard isSet else {
            throw SQLiteError(code: SQLITE_ERROR, operation: "open", message: "\(pragma.name) did not take effect")
        }
    }
}
