public import EventSourcing
import EventStore
import Postgres
public import Vocabulary
public import Wire

/// A reader of the hub: every origin's events in the hub's total order, and the transparency log over them.
///
/// It has a connection of its own and sees committed entries. One thread owns it.
public final class HubReader: LogReader {
    let conninfo: String
    private let reader: ReconnectingReader
    private let transparencyLog: TransparencyLogReader
    private let start: [UInt8]

    /// Connects to the hub. Throws if the database has none.
    ///
    /// - Parameter conninfo: the libpq connection string of the hub's database.
    public init(_ conninfo: String) throws(LogFailure) {
        let reader = try ReconnectingReader(conninfo)
        self.conninfo = conninfo
        self.reader = reader
        transparencyLog = TransparencyLogReader { (sql, values) throws(LogFailure) in
            try reader.query("read the hub", sql, values)
        }
        let rows = try reader.query("open", "SELECT firstepoch FROM hub.meta")
        guard case .integer(let epoch)? = rows.first?.first else {
            throw LogFailure(operation: "open", message: "schema hub is not a hub")
        }
        start = Chain.start(feed: HubSchema.feed, epoch: Epoch(UInt64(bitPattern: epoch)))
    }

    /// Returns the bytes of the whole database on disk.
    public func databaseBytes() throws(LogFailure) -> Int {
        let rows = try reader.query("measure the database", "SELECT pg_database_size(current_database())")
        guard case .integer(let bytes)? = rows.first?.first else { return 0 }
        return Int(clamping: bytes)
    }

    public func head() throws(LogFailure) -> Head {
        let rows = try reader.query(
            "read the head",
            "SELECT hubpos, hash, (SELECT epoch FROM hub.meta) FROM hub.entry ORDER BY hubpos DESC LIMIT 1")
        guard let row = rows.first, row.count == 3, case .integer(let position) = row[0],
            case .bytes(let hash) = row[1],
            case .integer(let epoch) = row[2]
        else { throw LogFailure(operation: "read the head", message: "the hub is empty") }
        return Head(
            feed: HubSchema.feed, epoch: Epoch(UInt64(bitPattern: epoch)), position: Position(clamping: position),
            hash: hash)
    }

    public func read(from position: Position, events: Int, bytes: Int) throws(LogFailure) -> [Entry] {
        let rows = try reader.query(
            "read entries",
            """
            SELECT hubpos, hash, bytes FROM (
                SELECT hubpos, hash, bytes,
                    sum(octet_length(bytes)) OVER (ORDER BY hubpos) - octet_length(bytes) AS before
                FROM hub.entry WHERE hubpos BETWEEN $1 AND $2) page
            WHERE before < $3 OR before = 0 ORDER BY hubpos
            """, .page(from: position, events: events, bytes: bytes))
        return try rows.map { row throws(LogFailure) in try Entry(row) }
    }

    public func hash(at position: Position) throws(LogFailure) -> [UInt8]? {
        if position == 0 { return start }
        let rows = try reader.query(
            "read a hash", "SELECT hash FROM hub.entry WHERE hubpos = $1", [.integer(Int64(clamping: position))])
        guard case .bytes(let hash)? = rows.first?.first else { return nil }
        return hash
    }

    public func position(of id: UUID) throws(LogFailure) -> Position? {
        try hubPosition(of: id)
    }

    /// Returns the hub position of the event with this id. If several origins have the id, it is the first of them.
    public func hubPosition(of id: UUID) throws(LogFailure) -> Position? {
        let rows = try reader.query(
            "look up an id", "SELECT min(hubpos) FROM hub.entry WHERE id = $1", [.bytes(id.bytes)])
        guard case .integer(let position)? = rows.first?.first else { return nil }
        return Position(clamping: position)
    }
}

// The transparency log: the entry with index n (from 0) is the event at hub position n + 1.
extension HubReader {
    /// Returns the log entry at a hub position, with the salt and bytes that open its commitment; nil if there is none.
    public func entry(_ position: Position) throws(LogFailure) -> (entry: LedgerEntry, salt: [UInt8], bytes: [UInt8])? {
        guard position > 0, let found = try transparencyLog.entries(position...position).first else { return nil }
        return (found.entry, found.salt, found.bytes)
    }

    /// Returns consecutive log entries as in an entry bundle, at most 256.
    public func ledgerEntries(from position: Position, count: Int) throws(LogFailure) -> [LedgerEntry] {
        let count = min(count, MerkleTile.widthMax)
        guard position > 0, count > 0 else { return [] }
        let last = position.addingReportingOverflow(UInt64(count) - 1)
        return try transparencyLog.entries(position...(last.overflow ? .max : last.partialValue)).map(\.entry)
    }

    /// Returns the inclusion proof of the event at a hub position in the tree of `size` entries; nil if it is outside.
    public func proof(forHubPosition position: Position, size: UInt64) throws(LogFailure) -> [[UInt8]]? {
        guard position > 0, try size <= head().position else { return nil }
        return try MerkleTileReader(size: size, source: transparencyLog.tile).inclusion(of: position - 1)
    }

    /// Returns the consistency proof from the tree of `oldSize` entries to that of `size`; nil if there is none.
    public func consistency(from oldSize: UInt64, to size: UInt64) throws(LogFailure) -> [[UInt8]]? {
        guard try size <= head().position else { return nil }
        return try MerkleTileReader(size: size, source: transparencyLog.tile).consistency(from: oldSize)
    }

    /// Returns the root of the tree of `size` entries; nil if the hub is smaller.
    public func root(size: UInt64) throws(LogFailure) -> [UInt8]? {
        guard try size <= head().position else { return nil }
        return try transparencyLog.root(size: size)
    }

    /// Returns the concatenated hashes of a tile; nil if the tree does not have that many yet.
    public func tile(_ address: MerkleTile.Address) throws(LogFailure) -> [UInt8]? {
        guard (0...MerkleTile.levelMax).contains(address.level), address.index <= UInt64.max >> 8,
            (1...MerkleTile.widthMax).contains(address.width)
        else { return nil }
        let hashes = try transparencyLog.tile(address)
        return hashes.count == address.width * MerkleTree.hashBytes ? hashes : nil
    }

    /// Returns the signed note of the largest checkpoint; nil if there is none.
    public func latestCheckpoint() throws(LogFailure) -> String? {
        try transparencyLog.latestNote()
    }

    /// Returns signed checkpoints of a greater size in ascending order, at most 256, each with its size.
    public func checkpoints(after size: UInt64) throws(LogFailure) -> [(size: UInt64, note: String)] {
        try transparencyLog.notes(after: size, count: MerkleTile.widthMax)
    }
}

extension [PGValue] {
    /// The query parameters of a page: first and last position, and bytes.
    static func page(from position: Position, events: Int, bytes: Int) -> [PGValue] {
        let first = Int64(clamping: Swift.max(position, 1))
        let last = first.addingReportingOverflow(Int64(Swift.max(events, 0)) - 1)
        return [.integer(first), .integer(last.overflow ? .max : last.partialValue), .integer(Int64(bytes))]
    }
}
