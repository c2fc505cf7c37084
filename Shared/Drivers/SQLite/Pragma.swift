/// One setting of a connection, and the value that SQLite must report after it is set.
struct Pragma {
    let name: String
    let value: String
    let reads: String

    init(_ name: String, _ value: String, reads: String? = nil) {
        self.name = name
        self.value = value
        self.reads = reads ?? value
    }

    /// Returns the settings in the order to apply them; the busy timeout is first because the others may have to wait.
    static func settings(for mode: Database.Mode) -> [Pragma] {
        let common = [
            Pragma("busy_timeout", "2000"),
            Pragma("foreign_keys", "ON", reads: "1"),
            Pragma("cell_size_check", "ON", reads: "1"),
            Pragma("cache_size", "-2000"),
            Pragma("trusted_schema", "OFF", reads: "0"),
        ]
        // A memory-mapped file turns a disk error into SIGBUS and counts as memory of the service.
        let unmapped = Pragma("mmap_size", "0")
        let log = Pragma("journal_mode", "WAL", reads: "wal")
        return switch mode {
        case .writer:
            common + [
                unmapped, log, Pragma("synchronous", "FULL", reads: "2"), Pragma("wal_autocheckpoint", "0"),
            ]
        case .scratch:
            common + [
                unmapped, log, Pragma("synchronous", "OFF", reads: "0"), Pragma("wal_autocheckpoint", "1000"),
            ]
        case .cache:
            common + [
                unmapped, log, Pragma("synchronous", "NORMAL", reads: "1"), Pragma("wal_autocheckpoint", "0"),
            ]
        case .reader:
            common + [unmapped, Pragma("query_only", "ON", reads: "1"), Pragma("wal_autocheckpoint", "0")]
        case .memory:
            common
        }
    }
}
