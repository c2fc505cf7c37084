import CSQLite
import Glibc

/// An error of SQLite; never contains a bound value.
public struct SQLiteError: Error, Equatable, Sendable {
    /// SQLite's extended result code.
    public let code: Int32
    /// The errno behind an I/O error; 0 if there is none.
    public let systemCode: Int32
    /// The kind of call that failed: `open`, `step`, `backup`.
    public let operation: String
    /// SQLite's message, which names tables and columns.
    public let message: String

    /// Creates an error with an extended result code.
    public init(code: Int32, operation: String, message: String, systemCode: Int32 = 0) {
        self.code = code
        self.systemCode = systemCode
        self.operation = operation
        self.message = message
    }

    init(code: Int32, operation: String) {
        self.init(code: code, operation: operation, message: unsafe String(cString: sqlite3_errstr(code)))
    }

    /// Another connection held the needed lock for longer than the busy timeout.
    public var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }

    /// The file could not be accessed at this moment; its contents may be sound.
    public var isAway: Bool { isBusy || [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_NOMEM].contains(primary) }

    /// The disk or the quota is full; earlier commits are untouched.
    public var isFull: Bool {
        primary == SQLITE_FULL
            || (primary == SQLITE_IOERR && !isSyncFailure && [ENOSPC, EDQUOT].contains(systemCode))
    }

    /// The file is no database or a damaged one.
    public var isCorrupt: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

    /// A constraint of the schema was violated: a unique index, a foreign key, a check.
    public var isConstraint: Bool { primary == SQLITE_CONSTRAINT }

    /// An fsync failed: the state on disk is unknown and a retry proves nothing, so the process has to end.
    public var isSyncFailure: Bool { code == Code.fsync || code == Code.directoryFsync }

    private var primary: Int32 { code & 0xff }

    /// Extended codes are sums in the C header, which Swift does not import.
    enum Code {
        static let fsync: Int32 = SQLITE_IOERR | (4 << 8)
        static let directoryFsync: Int32 = SQLITE_IOERR | (5 << 8)
    }
}
