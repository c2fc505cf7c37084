import CPostgres
import Glibc

/// One connection to PostgreSQL, used by one thread; closed with its last reference.
///
/// Every call blocks until the server responds. Notices of the server are dropped.
///
/// ```
/// let connection = try Connection("host=/run/postgresql dbname=furrow")
/// let rows = try connection.query("SELECT id FROM lots WHERE grams > $1", [.integer(500)])
/// ```
@safe
public final class Connection {
    let handle: OpaquePointer
    var statements = PreparedStatements()

    /// Connects with UTF-8 as the encoding.
    ///
    /// - Parameter conninfo: a keyword string (libpq, "Connection Strings"), e.g.
    ///   `host=/run/x port=5432 dbname=furrow user=furrow`.
    public init(_ conninfo: String) throws(PostgresError) {
        PostgresBrokenPipes.ignore()
        guard let opened = unsafe Self.open(conninfo) else {
            throw PostgresError(code: "", operation: "connect", message: "no memory for a connection")
        }
        guard unsafe PQstatus(opened) == CONNECTION_OK else {
            let message = unsafe Self.firstLine(String(cString: PQerrorMessage(opened)))
            unsafe PQfinish(opened)
            throw PostgresError(code: "", operation: "connect", message: message)
        }
        unsafe PQsetNoticeReceiver(opened, { _, _ in }, nil)
        unsafe handle = unsafe opened
    }

    deinit { unsafe PQfinish(handle) }

    private static func open(_ conninfo: String) -> OpaquePointer? {
        // Later parameters win, so the caller may choose other timeouts but not another encoding. A connection that was
        // cut silently fails after a few keepalives, not after hours.
        let words = [
            ("connect_timeout", "\(PostgresLimits.connectSeconds)"),
            ("keepalives_idle", "\(PostgresLimits.keepaliveSeconds)"),
            ("keepalives_interval", "\(PostgresLimits.keepaliveSeconds)"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "\(4 * PostgresLimits.keepaliveSeconds * 1_000)"), ("dbname", conninfo),
            ("client_encoding", "UTF8"),
        ]
        let owned: [UnsafeMutablePointer<CChar>?] = unsafe words.flatMap { unsafe [strdup($0.0), strdup($0.1)] }
        defer { unsafe owned.forEach { unsafe free($0) } }
        let keys = unsafe stride(from: 0, to: owned.count, by: 2).map { unsafe UnsafePointer(owned[$0]) } + [nil]
        let values = unsafe stride(from: 1, to: owned.count, by: 2).map { unsafe UnsafePointer(owned[$0]) } + [nil]
        return unsafe PQconnectdbParams(keys, values, 1)
    }

    /// Whether the connection is open; detects a closed one without a request to the server.
    public var isAlive: Bool {
        unsafe PQstatus(handle) == CONNECTION_OK && PQconsumeInput(handle) == 1 && PQstatus(handle) == CONNECTION_OK
    }

    /// The state of the connection's transaction.
    public var transactionStatus: TransactionStatus {
        switch unsafe PQtransactionStatus(handle) {
        case PQTRANS_IDLE: .idle
        case PQTRANS_ACTIVE: .active
        case PQTRANS_INTRANS: .inTransaction
        case PQTRANS_INERROR: .failed
        default: .unknown
        }
    }

    /// Runs one or more statements without parameters in one message and discards their rows.
    ///
    /// They form one transaction unless they contain BEGIN and COMMIT themselves.
    public func execute(_ sql: String) throws(PostgresError) {
        try checked(unsafe Reply(PQexec(handle, sql)), "execute")
    }

    /// Runs one statement and returns its rows; `$1`, `$2` … are replaced by the values.
    public func query(_ sql: String, _ values: [PGValue] = []) throws(PostgresError) -> [[PGValue]] {
        try perform(sql, try Parameters(values, operation: "query"), wantsRows: true).rows()
    }

    /// Runs one statement and discards its rows.
    public func run(_ sql: String, _ values: [PGValue]) throws(PostgresError) {
        _ = try perform(sql, try Parameters(values, operation: "query"), wantsRows: false)
    }

    private func perform(_ sql: String, _ parameters: Parameters, wantsRows: Bool) throws(PostgresError) -> Reply {
        let mayRetry = transactionStatus == .idle
        do throws(PostgresError) {
            return try performOnce(sql, parameters, wantsRows: wantsRows)
        } catch  where error.isStaleStatement && mayRetry {
            // Tables changed under a plan, or a DEALLOCATE was executed; nothing has run, so a retry is safe.
            return try performOnce(sql, parameters, wantsRows: wantsRows)
        }
    }

    private func performOnce(
        _ sql: String, _ parameters: Parameters, wantsRows: Bool
    ) throws(PostgresError) -> Reply {
        try makeRoom()
        let statement = statements.statement(for: sql, parameters)
        do throws(PostgresError) {
            if !statement.isPrepared { try prepare(statement) }
            if wantsRows && statement.resultFormat == nil { try describe(statement) }
            let format = statement.resultFormat ?? 0
            let result = unsafe parameters.lend { count, values, lengths, formats in
                unsafe PQexecPrepared(handle, statement.name, count, values, lengths, formats, format)
            }
            return try checked(unsafe Reply(result), "query")
        } catch {
            if error.isStaleStatement || !statement.isPrepared { statements.forget(statement) }
            throw error
        }
    }

    private func prepare(_ statement: PreparedStatements.Statement) throws(PostgresError) {
        let count = Int32(statement.types.count)
        let reply = unsafe Reply(PQprepare(handle, statement.name, statement.sql, count, statement.types))
        try checked(reply, "prepare")
        statement.isPrepared = true
    }

    private func describe(_ statement: PreparedStatements.Statement) throws(PostgresError) {
        let reply = try checked(unsafe Reply(PQdescribePrepared(handle, statement.name)), "prepare")
        statement.resultFormat = reply.columnTypes.allSatisfy(TypeOID.isCheapInBinary) ? 1 : 0
    }

    /// Deallocates all statements when there are too many; not inside a failed transaction, where nothing would run.
    func makeRoom() throws(PostgresError) {
        guard statements.count >= PostgresLimits.statements, transactionStatus != .failed else { return }
        try execute("DEALLOCATE ALL")
        statements.forgetAll()
    }

    /// Returns the reply, or throws its error.
    @discardableResult
    func checked(_ reply: consuming Reply, _ operation: String) throws(PostgresError) -> Reply {
        if reply.isNothing { throw lost(operation) }
        if let error = reply.error(operation, fallback: { lastMessage }) { throw error }
        switch reply.status {
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            leaveCopy(reply.status)
            throw PostgresError(code: "0A000", operation: operation, message: "COPY has a call of its own")
        default: return reply
        }
    }

    private func leaveCopy(_ status: ExecStatusType) {
        if status == PGRES_COPY_IN {
            _ = unsafe PQputCopyEnd(handle, "COPY was not requested")
        } else {
            var buffer: UnsafeMutablePointer<CChar>?
            while unsafe PQgetCopyData(handle, &buffer, 0) > 0 {
                unsafe PQfreemem(buffer)
                unsafe buffer = nil
            }
        }
        drain()
    }

    /// Reads the rest of the current command's results.
    func drain() {
        while unsafe !Reply(PQgetResult(handle)).isNothing {}
    }

    func lost(_ operation: String) -> PostgresError {
        PostgresError(code: "", operation: operation, message: lastMessage)
    }

    var lastMessage: String { unsafe Self.firstLine(String(cString: PQerrorMessage(handle))) }

    private static func firstLine(_ text: String) -> String {
        let line = text.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? ""
        return line.isEmpty ? "the connection gave no reason" : line
    }
}
