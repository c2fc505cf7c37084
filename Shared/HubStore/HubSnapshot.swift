public import EventSourcing
import EventStore
import Postgres
import Vocabulary
import Wire

/// The hub at one moment, for a backup: what it held then is read while the ledger goes on. One thread owns it.
public final class HubSnapshot {
    /// The version of the hub's tables.
    public let format: Int
    /// Whose hub it is: the ledger's origin.
    public let origin: String
    public let head: Head
    /// The chain before the hub's first entry.
    public let start: [UInt8]
    /// How far each origin is mirrored.
    public let feeds: [Head]
    /// The newest signed checkpoint; nil before the first.
    public let checkpoint: String?
    private let reader: Connection

    /// How long the ledger may be in the middle of a commit.
    private static let patienceMilliseconds = 20_000

    /// Takes hold of the hub as it is, and runs `meanwhile` while the ledger cannot commit.
    ///
    /// Whatever `meanwhile` takes hold of fits the hub: an origin's journal reaches at least as far as the hub mirrors
    /// it, and no journal names an entry of the hub that the hub does not have. It should take milliseconds.
    ///
    /// - Parameter conninfo: a keyword string of libpq, the same as the log's.
    public init(_ conninfo: String, meanwhile: () throws -> Void) throws {
        let holder = try Connection(conninfo)
        reader = try Connection(conninfo)
        try holder.execute(
            """
            BEGIN; SET LOCAL lock_timeout = \(Self.patienceMilliseconds);
            LOCK TABLE hub.entry IN SHARE MODE
            """)
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

    /// Hands over the rows of one of the ``HubDump/tables``, in pieces.
    public func copyOut(_ table: String, _ take: ([UInt8]) throws -> Void) throws {
        guard let columns = HubDump.columns[table], let order = columns.first else {
            throw LogFailure(operation: "dump", message: "the hub has no table \(table)")
        }
        let list = columns.joined(separator: ", ")
        try reader.copyOut("SELECT \(list) FROM hub.\(table) ORDER BY \(order)", take)
    }
}

/// What of the hub is kept in a backup, and how it gets back.
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

    /// Makes the hub's tables in a database that has none, and fills them, in one transaction.
    ///
    /// - Parameter next: the next piece of a table's dump; empty at its end.
    public static func restore(_ conninfo: String, _ next: (_ table: String) throws -> [UInt8]) throws {
        let connection = try Connection(conninfo)
        guard try connection.query("SELECT to_regnamespace('hub') IS NULL") == [[.boolean(true)]] else {
            throw LogFailure(operation: "restore", message: "the database holds a hub already")
        }
        try connection.execute("BEGIN")
        try connection.execute(HubSchema.create)
        for table in tables {
            var piece = try next(table)
            // What an older build dumped has fewer columns, those that came first.
            let fields = HubDumpChain.fields(ofDump: piece) ?? 0
            let known = columns[table] ?? []
            try connection.copyIn(into: "hub.\(table)", columns: fields == 0 ? known : Array(known.prefix(fields))) {
                defer { piece = [] }
                return piece.isEmpty ? try next(table) : piece
            }
        }
        // A newer Furrow's would have failed before; an older one's is told from here.
        _ = try HubMeta(connection)
        try connection.execute("COMMIT")
    }

    /// Whether a database holds a hub.
    public static func isThere(_ conninfo: String) throws -> Bool {
        try Connection(conninfo).query("SELECT to_regnamespace('hub') IS NOT NULL") == [[.boolean(true)]]
    }

    /// Removes a hub with its views, where there is one: what was left of a restore that broke off.
    public static func remove(_ conninfo: String) throws {
        try Connection(conninfo).execute("DROP SCHEMA IF EXISTS hub CASCADE; DROP SCHEMA IF EXISTS views CASCADE")
    }

    /// A table or column that nobody told this place of would be missing in every backup.
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
