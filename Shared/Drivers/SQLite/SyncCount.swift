import CSQLite
import Synchronization

/// Counts the disk syncs that SQLite requests from the kernel, by wrapping the methods of its files.
///
/// A file's `xSync` is replaced by a function that counts the call and forwards it to the original.
enum SyncCount {
    static let total = Atomic<Int>(0)

    /// The wrapped methods of a kind of file, followed by the original ones.
    @unsafe private struct Counted {
        var methods: sqlite3_io_methods
        let original: UnsafePointer<sqlite3_io_methods>
    }

    /// Addresses of original methods and of their wrappers; never freed, because a file may outlive its connection.
    private static let made = Mutex<[UInt: UInt]>([:])

    /// Wraps the methods of a database and of its WAL, which must be open.
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

    /// Returns the address of the counting wrapper of the methods at `original`.
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
