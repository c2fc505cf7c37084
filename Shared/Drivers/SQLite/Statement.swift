import CSQLite

/// One compiled statement, to be bound, stepped and reset repeatedly; used by its database's thread.
///
/// Parameters count from 1 and columns from 0, as in SQLite. A column that does not exist, or no row, reads as NULL.
@safe public final class Statement {
    private let handle: OpaquePointer
    /// A reference, so that the connection does not close before its statements.
    private let database: Database

    init(_ sql: String, in database: Database) throws(SQLiteError) {
        var text = sql
        var made: OpaquePointer?
        var isWhole = true
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                var tail: UnsafePointer<CChar>?
                let code = unsafe sqlite3_prepare_v3(
                    database.handle, characters.baseAddress, Int32(clamping: characters.count), flags, &made, &tail)
                if let tail = unsafe tail, let start = characters.baseAddress {
                    isWhole = unsafe characters[(tail - start)...].allSatisfy {
                        " \n\r\t;".utf8.contains(UInt8(bitPattern: $0))
                    }
                }
                return code
            }
        }
        guard code == SQLITE_OK else { throw database.error(code, "prepare") }
        guard let statement = unsafe made else {
            throw SQLiteError(code: SQLITE_MISUSE, operation: "prepare", message: "no statement")
        }
        guard isWhole else {
            unsafe sqlite3_finalize(statement)
            throw SQLiteError(code: SQLITE_MISUSE, operation: "prepare", message: "more than one statement")
        }
        unsafe handle = statement
        self.database = database
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Advances to the next row; returns false at the end, or if the statement returns no rows.
    ///
    /// After a throw the statement is reset and its values are still bound.
    public func step() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else {
            let error = database.error(code, "step")
            // A statement that is not reset would retain its locks.
            unsafe sqlite3_reset(handle)
            throw error
        }
        return false
    }

    /// Resets the statement and clears its bound values.
    public func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    /// Binds every parameter in order and steps to the end; always resets the statement.
    public func run(_ values: SQLValue...) throws(SQLiteError) {
        defer { reset() }
        try bind(all: values)
        while try step() {}
    }

    /// Binds every parameter in order; throws SQLITE_RANGE unless there are as many values as parameters.
    public func bind(all values: [SQLValue]) throws(SQLiteError) {
        guard values.count == parameterCount else {
            throw SQLiteError(
                code: SQLITE_RANGE, operation: "bind", message: "\(parameterCount) parameters, \(values.count) values")
        }
        for (index, value) in values.enumerated() { try bind(index + 1, value) }
    }

    /// The number of parameters.
    public var parameterCount: Int { unsafe Int(sqlite3_bind_parameter_count(handle)) }
    /// The number of columns of a row.
    public var columnCount: Int { unsafe Int(sqlite3_column_count(handle)) }
}

extension Statement {
    /// Binds a value to the parameter at `index`.
    public func bind(_ index: Int, _ value: SQLValue) throws(SQLiteError) {
        switch value {
        case .null: try bindNull(index)
        case .integer(let number): try bind(index, number)
        case .real(let number): try bind(index, number)
        case .text(let text): try bind(index, text)
        case .blob(let bytes): try bind(index, bytes)
        }
    }

    /// Binds an integer to the parameter at `index`.
    public func bind(_ index: Int, _ value: Int64) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_int64(handle, Int32(clamping: index), value))
    }

    /// Binds an integer to the parameter at `index`.
    public func bind(_ index: Int, _ value: Int) throws(SQLiteError) {
        try bind(index, Int64(value))
    }

    /// Binds an integer; throws SQLITE_MISMATCH above `Int64.max`, SQLite's largest integer.
    public func bind(_ index: Int, _ value: UInt64) throws(SQLiteError) {
        guard let number = Int64(exactly: value) else { throw SQLiteError(code: SQLITE_MISMATCH, operation: "bind") }
        try bind(index, number)
    }

    /// Binds a number; throws SQLITE_MISMATCH for not-a-number, which SQLite would store as NULL.
    public func bind(_ index: Int, _ value: Double) throws(SQLiteError) {
        guard !value.isNaN else { throw SQLiteError(code: SQLITE_MISMATCH, operation: "bind") }
        try check(unsafe sqlite3_bind_double(handle, Int32(clamping: index), value))
    }

    /// Binds a text to the parameter at `index`.
    public func bind(_ index: Int, _ value: String) throws(SQLiteError) {
        var text = value
        try check(
            text.withUTF8 { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                    unsafe furrow_sqlite_bind_text(
                        handle, Int32(clamping: index), characters.baseAddress, UInt64(characters.count))
                }
            })
    }

    /// Binds a copy of the bytes to the parameter at `index`.
    public func bind(_ index: Int, _ value: [UInt8]) throws(SQLiteError) {
        try check(unsafe furrow_sqlite_bind_blob(handle, Int32(clamping: index), value, UInt64(value.count)))
    }

    /// Binds two blobs without a copy and runs a statement that returns no rows; always resets it.
    public func run(
        lending first: [UInt8], at one: Int, and second: [UInt8], at other: Int
    ) throws(SQLiteError) {
        defer { reset() }
        let code = unsafe first.withUnsafeBytes { first in
            unsafe second.withUnsafeBytes { second in
                var code = unsafe furrow_sqlite_lend_blob(
                    handle, Int32(clamping: one), first.baseAddress, UInt64(first.count))
                guard code == SQLITE_OK else { return code }
                code = unsafe furrow_sqlite_lend_blob(
                    handle, Int32(clamping: other), second.baseAddress, UInt64(second.count))
                return code == SQLITE_OK ? unsafe sqlite3_step(handle) : code
            }
        }
        guard code == SQLITE_DONE else { throw database.error(code, "step") }
    }

    /// Binds NULL to the parameter at `index`.
    public func bindNull(_ index: Int) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_null(handle, Int32(clamping: index)))
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw database.error(code, "bind") }
    }
}

extension Statement {
    /// Returns whether the column of the current row is NULL.
    public func isNull(_ column: Int) -> Bool {
        unsafe sqlite3_column_type(handle, Int32(clamping: column)) == SQLITE_NULL
    }

    /// Returns the column as an integer; 0 for NULL.
    public func integer(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(handle, Int32(clamping: column)) }

    /// Returns the column as a number; 0 for NULL.
    public func real(_ column: Int) -> Double { unsafe sqlite3_column_double(handle, Int32(clamping: column)) }

    /// Returns the column as text; bytes that are not UTF-8 become U+FFFD.
    public func text(_ column: Int) -> String {
        guard let start = unsafe sqlite3_column_text(handle, Int32(clamping: column)) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(handle, Int32(clamping: column)))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Returns a copy of the column's bytes; none for NULL.
    public func blob(_ column: Int) -> [UInt8] { unsafe Array(bytes(column)) }

    /// Returns the number of bytes in the column.
    public func byteCount(_ column: Int) -> Int { unsafe Int(sqlite3_column_bytes(handle, Int32(clamping: column))) }

    /// Appends the column's bytes to an array.
    public func append(_ column: Int, to bytes: inout [UInt8]) {
        unsafe bytes.append(contentsOf: self.bytes(column))
    }

    /// Returns the column as the type in which SQLite stores it.
    public func value(_ column: Int) -> SQLValue {
        switch unsafe sqlite3_column_type(handle, Int32(clamping: column)) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(real(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(blob(column))
        default: .null
        }
    }

    private func bytes(_ column: Int) -> UnsafeRawBufferPointer {
        let start = unsafe sqlite3_column_blob(handle, Int32(clamping: column))
        let count = unsafe Int(sqlite3_column_bytes(handle, Int32(clamping: column)))
        return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    }
}
