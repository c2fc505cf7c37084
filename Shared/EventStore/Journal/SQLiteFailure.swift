package import EventSourcing
package import SQLite

extension LogFailure {
    /// Describes an SQLite error without any bound value, which may be personal data.
    package init(_ operation: String, _ error: SQLiteError) {
        let system = error.systemCode == 0 ? "" : ", errno \(error.systemCode)"
        self.init(
            operation: operation, message: "\(error.message) (\(error.operation), code \(error.code)\(system))",
            isFull: error.isFull, isAway: error.isAway)
    }
}

/// Runs SQLite calls and rethrows their errors as a `LogFailure` of `operation`.
package func storing<Result>(
    _ operation: String, _ body: () throws(SQLiteError) -> Result
) throws(LogFailure) -> Result {
    do throws(SQLiteError) {
        return try body()
    } catch {
        throw LogFailure(operation, error)
    }
}
