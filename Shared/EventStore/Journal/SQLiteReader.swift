public import EventSourcing
import SQLite
public import Vocabulary

/// Reads a journal file concurrently with its writer, or without one. It never writes or checkpoints.
///
/// Each call is a read transaction of its own, because a long one would let the WAL grow.
public final class SQLiteReader: LogReader {
    let path: String
    private let feed: String
    private let start: [UInt8]
    private let findHead: Statement
    private let findEntries: Statement
    private let findHash: Statement
    private let findID: Statement
    /// The segments and the look-up of sealed ids; nil for a file of version 1, which has neither.
    private let sealed: (segments: SegmentReader, findID: Statement)?

    /// Opens the journal file at `path`. Throws if it is empty, not a journal, or written by a newer version of Furrow.
    public convenience init(path: String) throws(LogFailure) {
        try self.init(
            storing("open") { () throws(SQLiteError) in try Database(path: path, mode: .reader) }, path: path)
    }

    init(_ database: Database, path: String) throws(LogFailure) {
        self.path = path
        guard try !JournalTables.areMissing(in: database) else {
            throw LogFailure(operation: "open", message: "the journal is empty")
        }
        let meta = try JournalMeta(of: database)
        feed = meta.origin
        start = meta.start
        (findHead, findEntries, findHash, findID) = try storing("open") { () throws(SQLiteError) in
            (
                try database.prepare(
                    "SELECT pos, hash, (SELECT epoch FROM meta) FROM entry ORDER BY pos DESC LIMIT 1"),
                try database.prepare("SELECT pos, hash, bytes FROM entry WHERE pos >= ? ORDER BY pos LIMIT ?"),
                try database.prepare("SELECT hash FROM entry WHERE pos = ?"),
                try database.prepare("SELECT pos FROM entry WHERE id = ?")
            )
        }
        let hasSeals = try JournalTables.version(of: database) >= 2
        sealed = try storing("open") { () throws(SQLiteError) in
            guard hasSeals else { return nil }
            return (
                try SegmentReader(database, ofJournal: path),
                try database.prepare("SELECT pos FROM sealed WHERE id = ?")
            )
        }
    }

    public func head() throws(LogFailure) -> Head {
        let found = try storing("read the head") { () throws(SQLiteError) -> (Int64, [UInt8], String)? in
            defer { findHead.reset() }
            guard try findHead.step() else { return nil }
            return (findHead.integer(0), findHead.blob(1), findHead.text(2))
        }
        guard let (position, hash, epoch) = found, let epoch = Epoch(epoch) else {
            throw LogFailure(operation: "read the head", message: "the journal is empty")
        }
        return Head(feed: feed, epoch: epoch, position: Position(clamping: position), hash: hash)
    }

    public func read(from position: Position, events: Int, bytes: Int) throws(LogFailure) -> [Entry] {
        var page: [Entry] = []
        var size = 0
        var next = max(position, 1)
        while page.count < events, size < bytes || page.isEmpty {
            let part = try sealed?.segments.entries(from: next) ?? []
            if part.isEmpty {
                let rows = try rows(from: next, events: events - page.count, bytes: bytes - size)
                guard rows.first?.position != next else { return page + rows }
                if try !hasLeft(next) { return page + rows }
            }
            for entry in part where page.count < events && (size < bytes || page.isEmpty) {
                size += entry.bytes.count
                page.append(entry)
                next = entry.position + 1
            }
        }
        return page
    }

    /// Returns the position ranges of all segments, oldest first.
    public func segments() throws(LogFailure) -> [ClosedRange<Position>] {
        try storing("list segments") { () throws(SQLiteError) in try sealed?.segments.list() ?? [] }
    }

    /// Returns the first run whose segment file is missing or differs from the one that the journal names.
    ///
    /// A copy has such a segment if old reports were pruned while it was made.
    public func strangeSegment() throws(LogFailure) -> ClosedRange<Position>? {
        for run in try segments() where try isStrange(run) { return run }
        return nil
    }

    /// Returns whether the segment file of a run is missing, or is not the one that the journal names.
    func isStrange(_ run: ClosedRange<Position>) throws(LogFailure) -> Bool {
        try sealed?.segments.isStrange(run) ?? true
    }

    /// Returns whether an entry that is not in the file was moved to a segment.
    private func hasLeft(_ position: Position) throws(LogFailure) -> Bool {
        guard let segments = sealed?.segments else { return false }
        try storing("find a segment") { () throws(SQLiteError) in try segments.look() }
        return position <= segments.last
    }

    private func rows(from position: Position, events: Int, bytes: Int) throws(LogFailure) -> [Entry] {
        try storing("read entries") { () throws(SQLiteError) in
            defer { findEntries.reset() }
            var entries: [Entry] = []
            var size = 0
            try findEntries.bind(1, Int64(clamping: position))
            try findEntries.bind(2, max(events, 0))
            while try findEntries.step() {
                let entry = Entry(
                    position: Position(clamping: findEntries.integer(0)), hash: findEntries.blob(1),
                    bytes: findEntries.blob(2))
                size += entry.bytes.count
                entries.append(entry)
                if size >= bytes { break }
            }
            return entries
        }
    }

    /// Encodes rows of the file directly into a page; sealed entries are read from their segment.
    public func pack(from position: Position, events: Int) throws(LogFailure) -> PackedEntries {
        let next = max(position, 1)
        let most = min(events, EventLimits.pageEvents)
        var packed = PackedEntries(expecting: most)
        if next > sealed?.segments.last ?? 0 { try pack(most, rowsFrom: next, into: &packed) }
        if packed.first == next { return packed }
        // The position is sealed or does not exist.
        return PackedEntries(try read(from: next, events: most, bytes: EventLimits.pageBytes))
    }

    /// Appends rows of the file to the page without creating an `Entry` for each.
    private func pack(
        _ most: Int, rowsFrom position: Position, into packed: inout PackedEntries
    ) throws(LogFailure) {
        try storing("read entries") { () throws(SQLiteError) in
            defer { findEntries.reset() }
            try findEntries.bind(1, Int64(clamping: position))
            try findEntries.bind(2, most)
            while try findEntries.step() {
                let fits = packed.add(
                    Position(clamping: findEntries.integer(0)), bytes: findEntries.byteCount(2)
                ) { bytes in
                    findEntries.append(1, to: &bytes)
                    findEntries.append(2, to: &bytes)
                }
                guard fits else { return }
            }
        }
    }

    public func hash(at position: Position) throws(LogFailure) -> [UInt8]? {
        if position == 0 { return start }
        let found = try storing("read a hash") { () throws(SQLiteError) -> [UInt8]? in
            defer { findHash.reset() }
            try findHash.bind(1, Int64(clamping: position))
            return try findHash.step() ? findHash.blob(0) : nil
        }
        if let found { return found }
        return try hasLeft(position) ? sealed?.segments.entries(from: position).first?.hash : nil
    }

    public func position(of id: UUID) throws(LogFailure) -> Position? {
        try storing("look up an id") { () throws(SQLiteError) in
            defer { findID.reset() }
            try findID.bind(1, id.bytes)
            if try findID.step() { return Position(clamping: findID.integer(0)) }
            guard let find = sealed?.findID else { return nil }
            defer { find.reset() }
            try find.bind(1, id.bytes)
            return try find.step() ? Position(clamping: find.integer(0)) : nil
        }
    }
}
