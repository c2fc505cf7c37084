public import EventSourcing
import EventStore
import SQLite

extension Vault {
    /// Writes the vault at `path` as it is now to a new file, synced, while its service goes on.
    public static func copy(_ path: String, to other: String) throws(LogFailure) {
        try storing("copy a vault") { () throws(SQLiteError) in
            try Database(path: path, mode: .reader).backup(to: other)
        }
    }

    /// Looks for damage in a vault's file; each line is one finding.
    public static func findings(in path: String) throws(LogFailure) -> [String] {
        try storing("check a vault") { () throws(SQLiteError) in
            try Database(path: path, mode: .reader).quickCheck()
        }
    }
}
