import EventSourcing
import EventStore
import Postgres

/// One connection to PostgreSQL and the transaction that is open on it, shared by a log and the tables beside it.
///
/// One thread owns it. An error is final for whoever writes: nobody knows then what the server holds.
final class PostgresSession {
    let connection: Connection
    /// Something was written that is not committed.
    private(set) var isOpen = false
    /// Entries of a log wait in the open transaction, so only the log may commit it.
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

    /// Takes back what was written since `begin`; only for a reader that wanted to see it.
    func rollback() throws(PostgresError) {
        try connection.execute("ROLLBACK")
        isOpen = false
    }
}

/// A statement and the values of its `$1`, `$2` …
typealias PostgresCall = (sql: String, values: [PGValue])

extension LogFailure {
    /// What PostgreSQL said, without any value.
    init(_ operation: String, _ error: PostgresError) {
        let code = error.code.isEmpty ? "" : ", \(error.code)"
        self.init(
            operation: operation, message: "\(error.message) (\(error.operation)\(code))",
            isFull: error.code == "53100", isAway: error.isConnectionLost)
    }
}

/// Runs calls of PostgreSQL and tells their errors as a failure of `operation`.
func asking<Result>(
    _ operation: String, _ body: () throws(PostgresError) -> Result
) throws(LogFailure) -> Result {
    do throws(PostgresError) {
        return try body()
    } catch {
        throw LogFailure(operation, error)
    }
}
