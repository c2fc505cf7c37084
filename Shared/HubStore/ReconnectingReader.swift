import EventSourcing
import EventStore
import Postgres

/// A read-only connection that reconnects once if the server has closed it.
final class ReconnectingReader {
    private let conninfo: String
    private var connection: Connection

    init(_ conninfo: String) throws(LogFailure) {
        self.conninfo = conninfo
        connection = try Self.connect(conninfo)
    }

    func query(_ operation: String, _ sql: String, _ values: [PGValue] = []) throws(LogFailure) -> [[PGValue]] {
        do throws(PostgresError) {
            return try connection.query(sql, values)
        } catch {
            guard error.isConnectionLost else { throw LogFailure(operation, error) }
        }
        connection = try Self.connect(conninfo)
        return try asking(operation) { () throws(PostgresError) in try connection.query(sql, values) }
    }

    private static func connect(_ conninfo: String) throws(LogFailure) -> Connection {
        try asking("connect") { () throws(PostgresError) in
            let connection = try Connection(conninfo)
            try connection.execute("SET default_transaction_read_only = on; SET search_path = pg_catalog")
            return connection
        }
    }
}
