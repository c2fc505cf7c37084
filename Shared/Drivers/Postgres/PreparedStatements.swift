/// The prepared statements of a connection, by their text.
///
/// A text has more than one statement only if it was called with values of different types.
struct PreparedStatements {
    /// One statement prepared on the server.
    final class Statement {
        let name: String
        let sql: String
        let types: [UInt32]
        /// Whether the server has accepted it.
        var isPrepared = false
        /// 1 if every column has a cheap binary form, 0 otherwise, nil until rows are requested.
        var resultFormat: Int32?

        init(name: String, sql: String, types: [UInt32]) {
            self.name = name
            self.sql = sql
            self.types = types
        }

        func accepts(_ parameters: Parameters) -> Bool {
            guard types.count == parameters.types.count else { return false }
            return types.indices.allSatisfy { parameters.nulls[$0] || types[$0] == parameters.types[$0] }
        }
    }

    private var byText: [String: [Statement]] = [:]
    private var made = 0
    private(set) var count = 0

    /// Returns a known or new statement for these values; a null takes the type that an earlier call gave that
    /// position.
    mutating func statement(for sql: String, _ parameters: Parameters) -> Statement {
        let known = byText[sql] ?? []
        if let fitting = known.first(where: { $0.accepts(parameters) }) { return fitting }
        var types = parameters.types
        if let latest = known.last, latest.types.count == types.count {
            for index in types.indices where parameters.nulls[index] { types[index] = latest.types[index] }
        }
        made += 1
        count += 1
        let statement = Statement(name: "s\(made)", sql: sql, types: types)
        byText[sql] = known + [statement]
        return statement
    }

    mutating func forget(_ statement: Statement) {
        guard let known = byText[statement.sql], known.contains(where: { $0 === statement }) else { return }
        count -= 1
        let left = known.filter { $0 !== statement }
        byText[statement.sql] = left.isEmpty ? nil : left
    }

    mutating func forgetAll() {
        byText.removeAll()
        count = 0
    }
}
