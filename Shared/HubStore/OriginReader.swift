public import EventSourcing
import EventStore
import Postgres
public import Vocabulary
import Wire

/// A reader of one origin's journal in the hub, including the ledger's own, with that origin's positions and chain.
///
/// It has a connection of its own and sees committed entries. One thread owns it.
public final class OriginReader: MirrorReader {
    private let reader: ReconnectingReader
    private let feed: String
    private let number: Int64

    /// Connects to the hub. Throws if it does not mirror the origin.
    ///
    /// - Parameter conninfo: the libpq connection string of the hub's database.
    public init(_ conninfo: String, feed: String) throws(LogFailure) {
        reader = try ReconnectingReader(conninfo)
        self.feed = feed
        let rows = try reader.query(
            "open", "SELECT origin FROM hub.feed WHERE name = $1", [.text(PostgresText.escape(feed))])
        guard case .integer(let number)? = rows.first?.first else {
            throw LogFailure(operation: "open", message: "the hub does not mirror \(feed)")
        }
        self.number = number
    }

    /// Reads the ledger's own journal, without knowing its origin.
    public convenience init(ownOf conninfo: String) throws(LogFailure) {
        let rows = try ReconnectingReader(conninfo).query(
            "open", "SELECT name FROM hub.feed WHERE origin = $1", [.integer(Int64(HubSchema.ownFeed))])
        guard case .text(let name)? = rows.first?.first else {
            throw LogFailure(operation: "open", message: "the hub is empty")
        }
        try self.init(conninfo, feed: PostgresText.unescape(name))
    }

    /// A position has several rows after the feed was moved back; the last one is valid.
    static let findHash = """
        SELECT originhash FROM hub.entry WHERE origin = $1 AND pos = $2
        AND pos <= (SELECT pos FROM hub.feed WHERE origin = $1) ORDER BY hubpos DESC LIMIT 1
        """

    private static let findPage = """
        SELECT pos, originhash, bytes FROM (
            SELECT pos, originhash, bytes,
                sum(octet_length(bytes)) OVER (ORDER BY pos) - octet_length(bytes) AS before
            FROM (
                SELECT DISTINCT ON (pos) pos, originhash, bytes FROM hub.entry
                WHERE origin = $4 AND pos BETWEEN $1 AND $2
                AND pos <= (SELECT pos FROM hub.feed WHERE origin = $4) ORDER BY pos, hubpos DESC) line) page
        WHERE before < $3 OR before = 0 ORDER BY pos
        """

    public func head() throws(LogFailure) -> Head {
        let rows = try reader.query(
            "read the head", "SELECT epoch, pos, hash FROM hub.feed WHERE origin = $1", [.integer(number)])
        guard let row = rows.first, row.count == 3, case .integer(let epoch) = row[0],
            case .integer(let position) = row[1], case .bytes(let hash) = row[2]
        else { throw LogFailure(operation: "read the head", message: "the feed is malformed") }
        return Head(
            feed: feed, epoch: Epoch(UInt64(bitPattern: epoch)), position: Position(clamping: position), hash: hash)
    }

    public func read(from position: Position, events: Int, bytes: Int) throws(LogFailure) -> [Entry] {
        let rows = try reader.query(
            "read entries", Self.findPage,
            .page(from: position, events: events, bytes: bytes) + [.integer(number)])
        return try rows.map { row throws(LogFailure) in try Entry(row) }
    }

    public func history(from first: Position, through last: Checkpoint) throws(LogFailure) -> [Entry] {
        let rows = try reader.query(
            "read entries", Self.findHistory,
            [
                .integer(number), .integer(Int64(clamping: first)), .integer(Int64(clamping: last.position)),
                .bytes(last.hash),
            ])
        return try rows.map { row throws(LogFailure) in try Entry(row) }
    }

    /// Selects an interval of an origin as it was when its last position was copied. A position may have several rows;
    /// the newest one until then is selected.
    private static let findHistory = """
        SELECT DISTINCT ON (pos) pos, originhash, bytes FROM hub.entry WHERE origin = $1 AND pos BETWEEN $2 AND $3
        AND hubpos <= (SELECT max(hubpos) FROM hub.entry WHERE origin = $1 AND pos = $3 AND originhash = $4)
        ORDER BY pos, hubpos DESC
        """

    public func hash(at position: Position) throws(LogFailure) -> [UInt8]? {
        if position == 0 { return try start() }
        let rows = try reader.query(
            "read a hash", Self.findHash, [.integer(number), .integer(Int64(clamping: position))])
        guard case .bytes(let hash)? = rows.first?.first else { return nil }
        return hash
    }

    public func position(of id: UUID) throws(LogFailure) -> Position? {
        let rows = try reader.query(
            "look up an id",
            """
            SELECT pos FROM hub.entry WHERE id = $1 AND origin = $2
            AND pos <= (SELECT pos FROM hub.feed WHERE origin = $2) ORDER BY hubpos DESC LIMIT 1
            """, [.bytes(id.bytes), .integer(number)])
        guard case .integer(let position)? = rows.first?.first else { return nil }
        return Position(clamping: position)
    }

    /// Returns the ids of consecutive events, with their positions; also of pruned ones.
    public func ids(from position: Position, count: Int) throws(LogFailure) -> [(position: Position, id: UUID)] {
        let rows = try reader.query(
            "read ids",
            """
            SELECT DISTINCT ON (pos) pos, id FROM hub.entry WHERE origin = $1 AND pos >= $2 AND pos < $3
            ORDER BY pos, hubpos DESC
            """,
            [
                .integer(number), .integer(Int64(clamping: position)),
                .integer(Int64(clamping: position) + Int64(count)),
            ])
        return try rows.map { row throws(LogFailure) in
            guard case .integer(let position) = row[0], case .bytes(let bytes) = row[1], bytes.count == 16
            else { throw LogFailure(operation: "read ids", message: "a row is malformed") }
            return (Position(clamping: position), UUID(bytes: bytes))
        }
    }

    /// Returns the number of runs that the journal has sealed: its `JournalSealed` events.
    public func seals() throws(LogFailure) -> Int {
        let rows = try reader.query(
            "count seals",
            """
            SELECT DISTINCT ON (pos) bytes FROM hub.entry WHERE origin = $1 AND position($2::bytea IN bytes) > 0
            AND pos <= (SELECT pos FROM hub.feed WHERE origin = $1) ORDER BY pos, hubpos DESC
            """, [.integer(number), .bytes(Array(JournalSealed.name.utf8))])
        return rows.count { row in
            guard case .bytes(let bytes)? = row.first else { return false }
            do {
                return try EnvelopeCodec.read(bytes).envelope.name == JournalSealed.name
            } catch {
                return false
            }
        }
    }

    /// Returns the epoch of the first entry; nil if it is not mirrored.
    public func firstEpoch() throws(LogFailure) -> Epoch? {
        let rows = try reader.query("read an epoch", Self.findFirstEpoch, [.integer(number)])
        guard case .integer(let epoch)? = rows.first?.first else { return nil }
        return Epoch(UInt64(bitPattern: epoch))
    }

    private static let findFirstEpoch =
        "SELECT epoch FROM hub.entry WHERE origin = $1 AND pos = 1 ORDER BY hubpos DESC LIMIT 1"

    /// Returns the chain hash before the first entry, which depends on the journal's first epoch.
    private func start() throws(LogFailure) -> [UInt8]? {
        try firstEpoch().map { Chain.start(feed: feed, epoch: $0) }
    }
}
