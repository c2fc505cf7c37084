import CSQLite
import Glibc

/// An exclusive lock to write and checkpoint one database file, released with this value.
///
/// SQLite 3.40 can lose committed rows when two connections write or checkpoint one WAL file (the WAL-reset bug, fixed
/// in 3.51.3), so a second writer is refused, in this process or any other. The lock is on a file beside the
/// database: closing a descriptor of the database itself would drop SQLite's own locks.
struct WriterLock: ~Copyable {
    private let descriptor: Int32

    init(besides path: String) throws(SQLiteError) {
        descriptor = unsafe open(path + "-writer", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SQLiteError(code: SQLITE_CANTOPEN, operation: "open", message: "no lock file", systemCode: errno)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            throw SQLiteError(
                code: SQLITE_BUSY, operation: "open", message: "another connection writes this file", systemCode: code)
        }
    }

    deinit {
        // Closing alone would leave the lock with a forked child until it executes its program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
