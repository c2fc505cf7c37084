package import EventSourcing
import SQLite

/// The mark of a journal's file that is a replica: which replicated log it follows, and how far.
package struct ReplicaMark: Equatable, Sendable {
    /// The identity of the replicated log.
    package let log: String
    /// The sequence number of the last message that the file has; 0 until the whole journal was copied to the log.
    package let sequence: Int64

    package init(log: String, sequence: Int64) {
        self.log = log
        self.sequence = sequence
    }

    private static let schema = "CREATE TABLE replica(log TEXT NOT NULL, sequence INTEGER NOT NULL)"

    /// Reads the mark of the journal at `path`; nil if it is no replica.
    package static func find(in path: String) throws(LogFailure) -> ReplicaMark? {
        try find(in: storing("open") { () throws(SQLiteError) in try Database(path: path, mode: .reader) })
    }

    /// Reads the mark of a file; nil if the file is no replica.
    static func find(in database: Database) throws(LogFailure) -> ReplicaMark? {
        guard try JournalTables.version(of: database) == JournalFormat.replicaVersion else { return nil }
        let rows = try storing("open") { () throws(SQLiteError) in
            try database.query("SELECT log, sequence FROM replica")
        }
        guard rows.count == 1, case .text(let log) = rows[0][0], case .integer(let sequence) = rows[0][1] else {
            throw LogFailure(operation: "open", message: "the mark of the replica is malformed")
        }
        return ReplicaMark(log: log, sequence: sequence)
    }

    /// Marks a file, in the open transaction.
    func begin(in database: Database) throws(SQLiteError) {
        try database.execute(Self.schema)
        _ = try database.query("INSERT INTO replica(log, sequence) VALUES(?, ?)", [.text(log), .integer(sequence)])
        try database.execute("PRAGMA user_version = \(JournalFormat.replicaVersion)")
    }

    /// Notes how far a file is, in the open transaction.
    static func note(_ sequence: Int64, in database: Database) throws(SQLiteError) {
        _ = try database.query("UPDATE replica SET sequence = ?", [.integer(sequence)])
    }

    /// Removes the mark, in the open transaction.
    static func remove(from database: Database) throws(SQLiteError) {
        try database.execute("DROP TABLE replica")
        try database.execute("PRAGMA user_version = \(JournalFormat.fileVersion)")
    }
}
