import CSQLite
import Glibc

extension Database {
    /// Writes a consistent copy of the database to `path` while other connections read and write.
    ///
    /// The copy is synced before it is renamed to `path`, so a partial copy never has the final name. Throws
    /// SQLITE_CANTOPEN if `path` exists: it may be a database in use.
    ///
    /// On the writer's own connection no commit can happen during the copy; on a reader's connection the writer
    /// continues. A connection inside a transaction copies its snapshot. The copy is not in WAL mode, so it can be read
    /// from a read-only file system.
    public func backup(to path: String) throws(SQLiteError) {
        guard !path.isEmpty, !path.hasPrefix("file:"), path != Self.memoryPath else {
            throw SQLiteError(code: SQLITE_CANTOPEN, operation: "backup", message: "not the path of a file")
        }
        let partial = path + ".partial"
        // SQLite would replay a WAL left by an earlier file of that name into the copy.
        guard unsafe access(path, F_OK) != 0, unsafe access(path + "-wal", F_OK) != 0 else {
            throw SQLiteError(code: SQLITE_CANTOPEN, operation: "backup", message: "the target exists")
        }
        unsafe unlink(partial)
        Self.claim(partial)
        do throws(SQLiteError) {
            try copy(to: partial)
            try Self.sync(partial)
            // rename(2) would replace a file created in the meantime.
            guard unsafe link(partial, path) == 0 else {
                throw SQLiteError(code: SQLITE_CANTOPEN, operation: "backup", message: "link", systemCode: errno)
            }
            unsafe unlink(partial)
            try Self.sync(Self.folder(of: path))
        } catch {
            unsafe unlink(partial)
            unsafe unlink(partial + "-journal")
            throw error
        }
    }

    private func copy(to path: String) throws(SQLiteError) {
        let target = unsafe try Self.open(path, readOnly: false)
        defer { unsafe sqlite3_close_v2(target) }
        guard let backup = unsafe sqlite3_backup_init(target, "main", handle, "main") else {
            throw unsafe Self.error(sqlite3_extended_errcode(target), "backup", of: target)
        }
        // All pages in one step: between steps, another connection's commit would restart the copy.
        let stepped = unsafe sqlite3_backup_step(backup, -1)
        let code = unsafe sqlite3_backup_finish(backup)
        guard stepped == SQLITE_DONE, code == SQLITE_OK else {
            let failure = stepped == SQLITE_DONE || stepped == SQLITE_OK ? code : stepped
            throw unsafe Self.error(failure, "backup", of: target)
        }
        // The copy of a WAL database is marked as WAL: each reader would create files beside it.
        let plain = unsafe sqlite3_exec(target, "PRAGMA journal_mode=DELETE", nil, nil, nil)
        guard plain == SQLITE_OK else { throw unsafe Self.error(plain, "backup", of: target) }
    }

    private static func sync(_ path: String) throws(SQLiteError) {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw SQLiteError(code: SQLITE_CANTOPEN, operation: "backup", message: "sync", systemCode: errno)
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw SQLiteError(code: SQLiteError.Code.fsync, operation: "backup", message: "sync", systemCode: errno)
        }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
