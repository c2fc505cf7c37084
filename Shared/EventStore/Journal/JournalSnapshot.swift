public import EventSourcing
import SQLite
import Wire

/// A journal's file at one moment, for a backup: what it holds then can be copied while its service goes on writing.
///
/// While it lives the journal's WAL keeps growing. One thread owns it.
public final class JournalSnapshot {
    public let path: String
    public let head: Head
    private let database: Database

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

    /// Writes the journal as it was to a new file, synced.
    public func copy(to path: String) throws(LogFailure) {
        try storing("copy a journal") { () throws(SQLiteError) in try database.backup(to: path) }
    }
}

extension LogReader {
    /// Reads everything and follows the chain from its beginning; gives the head it ends at. Fails where it breaks.
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
