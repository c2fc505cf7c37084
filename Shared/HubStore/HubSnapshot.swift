public import EventSourcing
import EventStore
import Postgres
import Vocabulary
import Wire

/// The hub at one moment, for a backup: it is read while the ledger continues to write. One thread owns it.
public final class HubSnapshot {
    /// The version of the hub's tables.
    public let format: Int
    /// The origin of the ledger that writes the hub.
    public let origin: String
    /// The hub's head.
    public let head: Head
    /// The chain hash before the hub's first entry.
    public let start: [UInt8]
    /// The mirrored head of each origin.
    public let feeds: [Head]
    /// The newest signed checkpoint; nil if there is none.
    public let checkpoint: String?
    private let reader: Connection

    /// The longest wait for a commit in progress, in milliseconds.
    private static let patienceMilliseconds = 20_000

    /// Takes a snapshot of the hub, and runs `meanwhile` while the ledger cannot commit.
    ///
    /// Snapshots of journals that `meanwhile` takes are consistent with the hub's. An origin's journal reaches at least
    /// as far as the hub mirrors it, and no journal refers to a hub entry that the snapshot lacks. `meanwhile` should
    /// take milliseconds.
    ///
    /// A database that receives a copy has no ledger and cannot be locked; its owner pauses it.
    ///
    /// - Parameter conninfo: the libpq connection string of the hub's database.
    public init(_ conninfo: String, meanwhile: () throws -> Void) throws {
        let holder = try Connection(conninfo)
        reader = try Connection(conninfo)
        try holder.execute("BEGIN; SET LOCAL lock_timeout = \(Self.patienceMilliseconds)")
        if try holder.query("SELECT pg_is_in_recovery()") != [[.boolean(true)]] {
            try holder.execute("LOCK TABLE hub.entry IN SHARE MODE")
        }
        try reader.execute("SET search_path = pg_catalog; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let meta = try HubMeta(reader)
        try meanwhile()
        try holder.execute("ROLLBACK")

        format = JournalFormat.version
        origin = meta.origin
        start = Chain.start(feed: HubSchema.feed, epoch: meta.firstEpoch)
        head = try Self.head(reader, epoch: meta.epoch)
        feeds = try HubTail.feeds(reader).map(\.head)
        checkpoint = try TransparencyLogReader { [reader] (sql, values) throws(LogFailure) in
            try asking("read the hub") { () throws(PostgresError) in try reader.query(sql, values) }
        }.latestNote()
        try HubDump.checkCatalogue(reader)
    }

    private static func head(_ connection: Connection, epoch: Epoch) throws -> Head {
        let rows = try connection.query("SELECT hubpos, hash FROM hub.entry ORDER BY hubpos DESC LIMIT 1")
        guard let row = rows.first, case .integer(let position) = row[0], case .bytes(let hash) = row[1] else {
            throw LogFailure(operation: "read the head", message: "the hub is empty")
        }
        return Head(feed: HubSchema.feed, epoch: epoch, position: Position(clamping: position), hash: hash)
    }

    /// Passes the rows of one of the ``HubDump/tables`` to `take`, in pieces of a binary COPY stream.
    public func copyOut(_ table: String, _ take: ([UInt8]) throws -> Void) throws {
        guard let columns = HubDump.columns[table], let order = columns.first else {
            throw LogFailure(operation: "dump", message: "the hub has no table \(table)")
        }
        let list = columns.joined(separator: ", ")
        try reader.copyOut("SELECT \(list) FROM hub.\(table) ORDER BY \(order)", take)
    }
}

/// The tables of a hub's backup, and how they are restored.
public enum HubDump {
    /// The hub's tables in the order in which they are restored.
    public static let tables = ["meta", "feed", "entry", "tile", "checkpoint", "stream", "answer"]

    static let columns: [String: [String]] = [
        "meta": ["format", "origin", "epoch", "firstepoch", "created"],
        "feed": ["origin", "name", "epoch", "pos", "hash"],
        "entry": HubSchema.entryColumns,
        "tile": ["level", "index", "hashes"],
        "checkpoint": ["size", "note"],
        "stream": ["name", "version"],
        "answer": ["name", "actor", "key", "digest", "status", "body", "sum"],
    ]

    /// Creates the hub's tables in a database without a hub and fills them, in one transaction.
    ///
    /// - Parameter next: returns the next piece of a table's dump; empty at its end.
    public static func restore(_ conninfo: String, _ next: (_ table: String) throws -> [UInt8]) throws {
        let connection = try Connection(conninfo)
        guard try connection.query("SELECT to_regnamespace('hub') IS NULL") == [[.boolean(true)]] else {
            throw LogFailure(operation: "restore", message: "the database holds a hub already")
        }
        try connection.execute("BEGIN")
        try connection.execute(HubSchema.create)
        for table in tables {
            var piece = try next(table)
            // A dump of an older build has fewer columns: those that it had then, which come first.
            let fields = HubDumpChain.fields(ofDump: piece) ?? 0
            let known = columns[table] ?? []
            try connection.copyIn(into: "hub.\(table)", columns: fields == 0 ? known : Array(known.prefix(fields))) {
                defer { piece = [] }
                return piece.isEmpty ? try next(table) : piece
            }
        }
        // Restoring a newer dump has failed before; this rejects an older one.
        _ = try HubMeta(connection)
        try connection.execute("COMMIT")
    }

    /// Returns whether a database contains a hub.
    public static func isThere(_ conninfo: String) throws -> Bool {
        try Connection(conninfo).query("SELECT to_regnamespace('hub') IS NOT NULL") == [[.boolean(true)]]
    }

    /// Drops the hub and its views, if they exist, after an interrupted restore.
    public static func remove(_ conninfo: String) throws {
        try Connection(conninfo).execute("DROP SCHEMA IF EXISTS hub CASCADE; DROP SCHEMA IF EXISTS views CASCADE")
    }

    /// Throws if the hub has a table or column that is not listed here, because backups would silently omit it.
    static func checkCatalogue(_ connection: Connection) throws {
        let rows = try connection.query(
            """
            SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = 'hub'
            """)
        var found: [String: Set<String>] = [:]
        for row in rows {
            guard case .text(let table) = row[0], case .text(let column) = row[1] else { continue }
            found[table, default: []].insert(column)
        }
        guard found == columns.mapValues({ Set($0) }) else {
            throw LogFailure(
                operation: "dump",
                message: "the hub's tables are not those that this build knows: start its ledger with this build first")
        }
    }
}
