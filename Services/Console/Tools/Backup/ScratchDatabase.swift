import Postgres

/// An empty database in the server of a farm's database, for the time of a test.
struct ScratchDatabase {
    /// The connection string (libpq keyword format).
    let conninfo: String
    private let connection: Connection

    /// `deploy/postgres/start` lets the ledger's role in.
    private static let name = "furrow_restore_test"

    /// - Parameter other: the connection string of the farm's database, whose role may create databases.
    init(beside other: String) throws {
        connection = try Connection(other)
        // A later keyword of a connection string replaces an earlier one.
        conninfo = "\(other) dbname=\(Self.name)"
        // An interrupted test has left it.
        try remove()
        do throws(PostgresError) {
            try connection.execute("CREATE DATABASE \(Self.name)")
        } catch {
            throw RestoreTest.Postponed(
                reason: "the database server lets no scratch database be made (\(error.message)); restart its container"
            )
        }
    }

    func remove() throws { try connection.execute("DROP DATABASE IF EXISTS \(Self.name) WITH (FORCE)") }
}
