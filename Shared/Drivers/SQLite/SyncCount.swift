import CSQLite
import Synchronization

/// Counts the disk syncs that SQLite really asks the kernel for, by standing between it and its files.
///
/// A file's methods are replaced by the same ones but for the sync, which counts and goes on to the original.
enum SyncCount {
    static let total = Atomic<Int>(0)

    /// The methods of a kind of file, and behind them the ones they stand for.
    @unsafe private struct Counted {
        var methods: sqlite3_io_methods
        let original: UnsafePointer<sqlite3_io_methods>
    }

    /// Addresses of original methods and of those that stand for them; never freed, because files may outlive whoever
    /// opened them.
    private static let made = Mutex<[UInt: UInt]>([:])

    /// Watches a database and its WAL, which must be open.
    static func watch(_ database: OpaquePointer) {
        for pointer in [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER] {
            var file: UnsafeMutablePointer<sqlite3_file>?
            guard unsafe sqlite3_file_control(database, "main", pointer, &file) == SQLITE_OK,
                let file = unsafe file, let methods = unsafe file.pointee.pMethods
            else { continue }
            let counted = counted(UInt(bitPattern: methods))
            unsafe file.pointee.pMethods = UnsafePointer(bitPattern: counted)
        }
    }

    /// The address of the methods that count and go on to those at `original`.
    private static func counted(_ original: UInt) -> UInt {
        made.withLock { made in
            if made.values.contains(original) { return original }
            if let known = made[original] { return known }
            guard let methods = unsafe UnsafePointer<sqlite3_io_methods>(bitPattern: original) else { return original }
            let place = UnsafeMutablePointer<Counted>.allocate(capacity: 1)
            unsafe place.initialize(to: Counted(methods: methods.pointee, original: methods))
            unsafe place.pointee.methods.xSync = { unsafe SyncCount.sync($0, $1) }
            made[original] = UInt(bitPattern: place)
            return UInt(bitPattern: place)
        }
    }

    @unsafe private static func sync(_ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
        total.add(1, ordering: .relaxed)
        guard let file = unsafe file, let methods = unsafe file.pointee.pMethods else { return SQLITE_IOERR }
        let counted = unsafe UnsafeRawPointer(methods).assumingMemoryBound(to: Counted.self)
        guard let sync = unsafe counted.pointee.original.pointee.xSync else { return SQLITE_IOERR }
        return unsafe sync(file, flags)
    }
}
