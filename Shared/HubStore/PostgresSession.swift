import EventSourcing
import EventStore
import Postgres

/// One connection to PostgreSQL and its open transaction, shared by a log and its view tables.
///
/// One thread owns it. An error is final for a writer, because the contents of the server are unknown after it.
final class PostgresSession {
    let connection: Connection
    /// Whether the transaction has uncommitted changes.
    private(set) var isOpen = false
    /// Whether the transaction has entries of the log, so that only the log may commit it.
    var isHeldByLog = false

    init(_ conninfo: String) throws(LogFailure) {
        connection = try asking("connect") { () throws(PostgresError) in try Connection(conninfo) }
    }

    func begin() throws(PostgresError) {
        guard !isOpen else { return }
        try connection.execute("BEGIN")
        isOpen = true
    }

    /// Runs the statements in the open transaction, in one round trip.
    func write(_ statements: [PostgresCall]) throws(PostgresError) {
        let opening: [PostgresCall] = isOpen ? [] : [("BEGIN", [])]
        try connection.pipeline(opening + statements)
        isOpen = true
    }

    /// Runs the statements and commits, in one round trip.
    func commit(_ statements: [PostgresCall]) throws(PostgresError) {
        let opening: [PostgresCall] = isOpen ? [] : [("BEGIN", [])]
        try connection.pipeline(opening + statements + [("COMMIT", [])])
        isOpen = false
        isHeldByLog = false
    }

    /// Rolls back the open transaction.
    func rollback() throws(PostgresError) {
        try connection.execute("ROLLBACK")
        isOpen = false
    }
}

/// A statement and the values of its parameters `$1`, `$2` …
typealias PostgresCall = (sql: String, values: [PGValue])

extension LogFailure {
    /// Describes a PostgreSQL error without any bound value, which may be personal data.
    init(_ operation: String, _ error: PostgresError) {
        let code = error.code.isEmpty ? "" : ", \(error.code)"
        self.init(
            operation: operation, message: "\(error.message) (\(error.operation)\(code))",
            isFull: error.code == "53100", isAway: error.isConnectionLost)
    }
}

/// Runs PostgreSQL calls and rethrows their errors as a `LogFailure` of `operation`.
func asking<Result>(
    _ operation: String, _ body: () throws(PostgresError) -> Result
) throws(LogFailure) -> Result {
    do throws(PostgresError) {
        return try body()
    } catch {
        throw LogFailure(operation, error)
    }
}
