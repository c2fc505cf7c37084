import Foundation
import Postgres
import TestKit

/// Connections to the tests' own PostgreSQL.
enum PrivateCluster {
    /// Returns a connection with a schema of its own, first in its search path.
    static func connect() throws -> Connection {
        let connection = try Connection(try PostgresCluster.shared.get().conninfo)
        let schema = "t_" + UUID().uuidString.lowercased().split(separator: "-").joined()
        try connection.execute("CREATE SCHEMA \(schema); SET search_path TO \(schema)")
        return connection
    }
}
