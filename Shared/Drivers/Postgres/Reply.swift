import CPostgres

/// One result of libpq, freed with this value.
@safe
struct Reply: ~Copyable {
    private let result: OpaquePointer?

    init(_ result: OpaquePointer?) { unsafe self.result = unsafe result }

    deinit { unsafe PQclear(result) }

    /// Whether libpq returned no result: no memory, no connection, or the end of a command's results.
    var isNothing: Bool { unsafe result == nil }

    var status: ExecStatusType { unsafe PQresultStatus(result) }

    /// Returns the result's error, or nil; `fallback` is the connection's own last message.
    func error(_ operation: String, fallback: () -> String) -> PostgresError? {
        switch status {
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR:
            let code = field("C") ?? ""
            let message = field("M") ?? fallback()
            return PostgresError(
                code: code, operation: operation, message: PostgresError.withoutValues(message, code: code))
        case PGRES_PIPELINE_ABORTED:
            return PostgresError(code: "25P02", operation: operation, message: "an earlier statement failed")
        default: return nil
        }
    }

    /// Returns a field of the server's error, by its letter in the protocol.
    private func field(_ letter: Unicode.Scalar) -> String? {
        guard let text = unsafe PQresultErrorField(result, Int32(letter.value)) else { return nil }
        return unsafe String(cString: text)
    }

    /// The types of the columns, by position.
    var columnTypes: [UInt32] {
        unsafe (0..<PQnfields(result)).map { unsafe PQftype(result, $0) }
    }

    /// Returns all rows, each value decoded by its column's type.
    func rows() -> [[PGValue]] {
        let types = columnTypes
        let isBinary = unsafe types.isEmpty ? false : PQfformat(result, 0) == 1
        let count = unsafe PQntuples(result)
        var rows: [[PGValue]] = []
        rows.reserveCapacity(Int(count))
        for row in 0..<count {
            var values: [PGValue] = []
            values.reserveCapacity(types.count)
            for (column, type) in types.enumerated() {
                values.append(value(row, Int32(column), type, isBinary))
            }
            rows.append(values)
        }
        return rows
    }

    private func value(_ row: Int32, _ column: Int32, _ type: UInt32, _ isBinary: Bool) -> PGValue {
        guard unsafe PQgetisnull(result, row, column) == 0, let start = unsafe PQgetvalue(result, row, column) else {
            return .null
        }
        let length = unsafe Int(PQgetlength(result, row, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length)
        return isBinary ? unsafe BinaryForm.value(bytes, type) : unsafe TextForm.value(bytes, type)
    }
}
