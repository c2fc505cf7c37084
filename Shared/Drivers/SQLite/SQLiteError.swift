import CSQLite
import Glibc

/// What SQLite refused to do.
///
/// `code` is SQLite's extended result code, `systemCode` the errno behind an I/O error (0 without one), `operation` the
/// kind of call. Never carries a bound value.
public struct SQLiteError: Error, Equatable, Sendable {
    public let code: Int32
    public let systemCode: Int32
    public let operation: String
    public let message: String

    public init(code: Int32, operation: String, message: String, systemCode: Int32 = 0) {
        self.code = code
        self.systemCode = systemCode
        self.operation = operation
        self.message = message
    }

    init(code: Int32, operation: String) {
        self.init(code: code, operation: operation, message: unsafe String(cString: sqlite3_errstr(code)))
    }

    /// Another connection holds what this one needs, and held it longer than the busy timeout.
    public var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }

    /// The file could not be reached just now, which says nothing of what it holds.
    public var isAway: Bool { isBusy || [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_NOMEM].contains(primary) }

    /// The disk or the quota is full; what was committed before is untouched.
    public var isFull: Bool {
        primary == SQLITE_FULL
            || (primary == SQLITE_IOERR && !isSyncFailure && [ENOSPC, EDQUOT].contains(systemCode))
    }

    /// The file is no database or a damaged one.
    public var isCorrupt: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

    /// A rule of the schema was broken: a unique index, a foreign key, a check.
    public var isConstraint: Bool { primary == SQLITE_CONSTRAINT }

    /// An fsync failed: what the disk holds is unknown and a second try proves nothing, so the process has to end.
    public var isSyncFailure: Bool { code == Code.fsync || code == Code.directoryFsync }

    private var primary: Int32 { code & 0xff }

    /// Extended codes are sums in the header, which Swift does not import.
    enum Code {
        static let fsync: Int32 = SQLITE_IOERR | (4 << 8)
        static let directoryFsync: Int32 = SQLITE_IOERR | (5 << 8)
    }
}
