/// What went wrong between us and PostgreSQL, without any value that was bound.
///
/// Only the primary message of the server is kept: its detail and context lines quote rows and parameters.
public struct PostgresError: Error, Equatable, Sendable {
    /// The SQLSTATE, five characters (PostgreSQL, appendix A); empty when the connection itself is in trouble.
    public let code: String
    /// What was being done: `connect`, `execute`, `prepare`, `query`, `pipeline` or `copy`.
    public let operation: String
    /// One line for people.
    public let message: String

    public init(code: String, operation: String, message: String) {
        self.code = code
        self.operation = operation
        self.message = message
    }

    /// The connection is gone or going: open a new one, and treat what was asked as unknown.
    public var isConnectionLost: Bool {
        code.isEmpty || code.hasPrefix("08") || code == "57P01" || code == "57P02" || code == "57P03"
    }

    /// A unique constraint or index said no (23505).
    public var isUniqueViolation: Bool { code == "23505" }
}

extension PostgresError {
    /// The prepared statement is unknown to the server, or no longer fits the tables it was planned for.
    var isStaleStatement: Bool { code == "26000" || code == "0A000" }

    /// Takes the values out of a server message: data errors (class 22) quote what they could not read.
    static func withoutValues(_ message: String, code: String) -> String {
        guard code.hasPrefix("22"), let quote = message.firstIndex(where: { $0 == "\"" || $0 == ":" }) else {
            return message
        }
        var kept = message[..<quote]
        while kept.last == " " { kept.removeLast() }
        return "\(kept) (value withheld)"
    }
}
