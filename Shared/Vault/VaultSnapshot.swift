public import EventSourcing
import EventStore
import SQLite

extension Vault {
    /// Writes the current state of the vault at `path` to a new file and fsyncs it, while its service runs.
    public static func copy(_ path: String, to other: String) throws(LogFailure) {
        try storing("copy a vault") { () throws(SQLiteError) in
            try Database(path: path, mode: .reader).backup(to: other)
        }
    }

    /// Checks a vault's file for damage. Returns one line for each finding.
    public static func findings(in path: String) throws(LogFailure) -> [String] {
        try storing("check a vault") { () throws(SQLiteError) in
            try Database(path: path, mode: .reader).quickCheck()
        }
    }
}
