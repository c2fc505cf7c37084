public import EventSourcing
public import EventStore
import Postgres

/// The generations of the ledger's view tables, each in a schema of the hub's database.
public struct ViewSchemas: ViewStore {
    private let conninfo: String

    /// Creates a store.
    ///
    /// - Parameter conninfo: the libpq connection string of the hub's database.
    public init(_ conninfo: String) {
        self.conninfo = conninfo
    }

    public func look(at place: ViewGeneration) throws(LogFailure) -> (any ViewSnapshot)? {
        let connection = try connect("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        guard let (position, shape) = try Self.read(place, in: connection) else { return nil }
        return ViewSchemaSnapshot(place, position, shape, connection)
    }

    public func next(_ schemas: [TableSchema]) throws(LogFailure) -> any TableStore {
        try PostgresTables(conninfo, schemas, at: .next)
    }

    public func move(_ place: ViewGeneration, to other: ViewGeneration) throws(LogFailure) {
        try Self.run([Self.renaming(place, other)], on: connect("SET client_min_messages = warning"))
    }

    public func remove(_ place: ViewGeneration) throws(LogFailure) {
        try Self.run([Self.dropping(place)], on: connect("SET client_min_messages = warning"))
    }

    private func connect(_ first: String) throws(LogFailure) -> Connection {
        try asking("read the views") { () throws(PostgresError) in
            let connection = try Connection(conninfo)
            try connection.execute("SET search_path = pg_catalog; \(first)")
            return connection
        }
    }
}

// Steps of a start, on the connection that then writes the live tables.
extension ViewSchemas {
    /// Makes another generation live if it fits the shape, in one transaction. Returns that generation.
    static func settle(_ connection: Connection, for shape: TableShape) throws(LogFailure) -> ViewGeneration? {
        var shapes: [ViewGeneration: String] = [:]
        for place in [ViewGeneration.live, .ready, .previous] { shapes[place] = try read(place, in: connection)?.shape }
        let place = ViewGeneration.chosen(
            own: shape.text, live: shapes[.live], ready: shapes[.ready], previous: shapes[.previous])
        guard let place else { return nil }
        let former = shapes[.live] == nil ? [dropping(.live)] : [renaming(.live, .previous)]
        try run([renaming(place, .taken)] + former + [renaming(.taken, .live)], on: connection)
        return place
    }

    private static func renaming(_ place: ViewGeneration, _ other: ViewGeneration) -> String {
        "\(dropping(other)); ALTER SCHEMA \(place.schemaName) RENAME TO \(other.schemaName)"
    }

    private static func dropping(_ place: ViewGeneration) -> String {
        "DROP SCHEMA IF EXISTS \(place.schemaName) CASCADE"
    }

    /// Runs the statements in one transaction.
    private static func run(_ statements: [String], on connection: Connection) throws(LogFailure) {
        try asking("move views") { () throws(PostgresError) in
            try connection.execute("BEGIN; \(statements.joined(separator: "; ")); COMMIT")
        }
    }
}

// The contents of a schema.
extension ViewSchemas {
    static func read(
        _ place: ViewGeneration, in connection: Connection
    ) throws(LogFailure) -> (position: Position, shape: String)? {
        let table = "\(place.schemaName).\(TableShape.positionTable)"
        return try asking("read the views") { () throws(PostgresError) in
            let found = try connection.query("SELECT to_regclass($1) IS NOT NULL", [.text(table)])
            guard found.first?.first == .boolean(true),
                let row = try connection.query("SELECT position, shape FROM \(table)").first,
                case .integer(let position)? = row.first, case .text(let shape)? = row.last
            else { return nil }
            return (Position(clamping: position), shape)
        }
    }

    /// Returns the digest of every table in the server's catalogue except the position's, in byte order.
    static func digests(at place: ViewGeneration, in connection: Connection) throws(LogFailure) -> [TableDigest] {
        let rows = try asking("digest") { () throws(PostgresError) in
            try connection.query(catalogue, [.text(place.schemaName), .text(TableShape.positionTable)])
        }
        var digests: [TableDigest] = []
        for row in rows {
            guard case .text(let name)? = row.first else { continue }
            digests.append(try digest(of: name, hasKey: row.last == .boolean(true), at: place, in: connection))
        }
        return digests
    }

    /// Selects the tables, and whether each has a primary key `key`, as view tables have.
    private static let catalogue = """
        SELECT relname, EXISTS (
            SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
            WHERE indrelid = c.oid AND indisprimary AND indnatts = 1 AND attnum = 1 AND attname = 'key')
        FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
        WHERE nspname = $1 AND relkind IN ('r', 'p', 'f', 'm', 'v') AND relname <> $2 ORDER BY relname COLLATE "C"
        """

    private static func digest(
        of name: String, hasKey: Bool, at place: ViewGeneration, in connection: Connection
    ) throws(LogFailure) -> TableDigest {
        var digest = RowDigest()
        let table = PostgresTable.name(name, in: place)
        var condition = ""
        var values: [PGValue] = []
        while true {
            let sql = "SELECT * FROM \(table) \(condition) ORDER BY 1 \(hasKey ? "LIMIT \(page)" : "")"
            let rows = try asking("digest") { () throws(PostgresError) in try connection.query(sql, values) }
            var last = ""
            for row in rows {
                let (key, cells) = try PostgresTable.row(row)
                digest.add(key: key, cells: cells)
                last = key
            }
            guard hasKey, rows.count == page else { return digest.finish(table: name) }
            (condition, values) = ("WHERE key > $1", [.text(PostgresText.escape(last))])
        }
    }

    /// The number of rows that are read at once for a digest.
    private static let page = 2_000
}

/// A snapshot of the tables in a schema.
final class ViewSchemaSnapshot: ViewSnapshot {
    let position: Position
    let shape: String
    private let place: ViewGeneration
    private let connection: Connection

    init(_ place: ViewGeneration, _ position: Position, _ shape: String, _ connection: Connection) {
        self.place = place
        self.position = position
        self.shape = shape
        self.connection = connection
    }

    func digests() throws(LogFailure) -> [TableDigest] {
        try ViewSchemas.digests(at: place, in: connection)
    }
}
