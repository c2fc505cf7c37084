/// An error of PostgreSQL or of the connection; contains no bound value.
///
/// Includes only the primary message of the server: its detail and context lines quote rows and parameters.
public struct PostgresError: Error, Equatable, Sendable {
    /// The SQLSTATE, five characters (PostgreSQL, appendix A); empty if the connection itself failed.
    public let code: String
    /// The operation that failed: `connect`, `execute`, `prepare`, `query`, `pipeline` or `copy`.
    public let operation: String
    /// A description in one line.
    public let message: String

    /// Creates an error with a SQLSTATE.
    public init(code: String, operation: String, message: String) {
        self.code = code
        self.operation = operation
        self.message = message
    }

    /// The connection is lost: open a new one. Whether the last statement took effect is unknown.
    public var isConnectionLost: Bool {
        code.isEmpty || code.hasPrefix("08") || code == "57P01" || code == "57P02" || code == "57P03"
    }

    /// A unique constraint or index was violated (23505).
    public var isUniqueViolation: Bool { code == "23505" }
}

extension PostgresError {
    /// The prepared statement is unknown to the server, or no longer matches its tables.
    var isStaleStatement: Bool { code == "26000" || code == "0A000" }

    /// Removes values from a server message: data errors (class 22) quote the input that they could not parse.
    static func withoutValues(_ message: String, code: String) -> String {
        guard code.hasPrefix("22"), let quote = message.firstIndex(where: { $0 == "\"" || $0 == ":" }) else {
            return message
        }
        var kept = message[..<quote]
        while kept.last == " " { kept.removeLast() }
        return "\(kept) (value withheld)"
    }
}
