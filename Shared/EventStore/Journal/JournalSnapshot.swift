public import EventSourcing
import SQLite
import Wire

/// A read transaction on a journal file, from which a backup copies it while its service continues to write.
///
/// The journal's WAL cannot be emptied while the snapshot exists. One thread owns it.
public final class JournalSnapshot {
    /// The path of the journal's file.
    public let path: String
    /// The journal's head when the snapshot was taken.
    public let head: Head
    private let database: Database

    /// Opens a snapshot of the journal at `path`. Throws if it is empty or not a journal.
    public init(path: String) throws(LogFailure) {
        self.path = path
        database = try storing("open") { () throws(SQLiteError) in
            let database = try Database(path: path, mode: .reader)
            try database.execute("BEGIN")
            return database
        }
        guard try !JournalTables.areMissing(in: database) else {
            throw LogFailure(operation: "open", message: "\(path): the journal is empty")
        }
        let meta = try JournalMeta(of: database)
        let rows = try storing("open") { [database] () throws(SQLiteError) in
            try database.query("SELECT pos, hash FROM entry ORDER BY pos DESC LIMIT 1")
        }
        guard let row = rows.first, case .integer(let position) = row[0], case .blob(let hash) = row[1] else {
            throw LogFailure(operation: "open", message: "\(path): the journal is empty")
        }
        head = Head(feed: meta.origin, epoch: meta.epoch, position: Position(clamping: position), hash: hash)
    }

    /// Writes the journal as of the snapshot to a new file, and fsyncs it. The copy of a replica is no replica.
    public func copy(to path: String) throws(LogFailure) {
        try storing("copy a journal") { () throws(SQLiteError) in try database.backup(to: path) }
        guard try ReplicaMark.find(in: database) != nil else { return }
        try storing("copy a journal") { () throws(SQLiteError) in
            let copy = try Database(path: path, mode: .writer)
            try copy.execute("BEGIN IMMEDIATE")
            try ReplicaMark.remove(from: copy)
            try copy.execute("COMMIT")
            _ = try copy.checkpoint(truncate: true)
        }
    }
}

extension LogReader {
    /// Reads all entries and verifies the chain from its beginning. Returns the head; throws at the first break.
    public func followChain() throws(LogFailure) -> Head {
        let head = try head()
        guard var hash = try hash(at: 0) else {
            throw LogFailure(operation: "check", message: "the chain has no beginning")
        }
        var position: Position = 0
        while true {
            let page = try read(from: position + 1, events: EventLimits.pageEvents, bytes: EventLimits.pageBytes)
            guard let last = page.last else { break }
            if let broken = Chain.firstBreak(in: page, after: hash, at: position) {
                throw LogFailure(operation: "check", message: "the chain breaks at \(broken)")
            }
            (position, hash) = (last.position, last.hash)
        }
        guard position == head.position, hash == head.hash else {
            throw LogFailure(operation: "check", message: "the journal ends at \(position) and not at \(head.position)")
        }
        return head
    }
}
