import CSQLite

/// One compiled statement, to be bound, stepped and reset over and over; owned by its database's thread.
///
/// Parameters count from 1 and columns from 0, as in SQLite. A column that is not there, or no row, reads as NULL.
@safe public final class Statement {
    private let handle: OpaquePointer
    /// A connection cannot close under its statements.
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

    /// Goes to the next row; false when there is none, or the statement gives none and has done its work.
    ///
    /// After a throw the statement is rewound, its values still bound.
    public func step() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        guard code == SQLITE_DONE else {
            let error = database.error(code, "step")
            // A statement left in the middle would keep its locks.
            unsafe sqlite3_reset(handle)
            throw error
        }
        return false
    }

    /// Rewinds the statement and forgets what was bound.
    public func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    /// Binds every parameter in order, steps to the end and resets, whatever happens.
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

    public var parameterCount: Int { unsafe Int(sqlite3_bind_parameter_count(handle)) }
    public var columnCount: Int { unsafe Int(sqlite3_column_count(handle)) }
}

extension Statement {
    public func bind(_ index: Int, _ value: SQLValue) throws(SQLiteError) {
        switch value {
        case .null: try bindNull(index)
        case .integer(let number): try bind(index, number)
        case .real(let number): try bind(index, number)
        case .text(let text): try bind(index, text)
        case .blob(let bytes): try bind(index, bytes)
        }
    }

    public func bind(_ index: Int, _ value: Int64) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_int64(handle, Int32(clamping: index), value))
    }

    public func bind(_ index: Int, _ value: Int) throws(SQLiteError) {
        try bind(index, Int64(value))
    }

    /// Throws SQLITE_MISMATCH above `Int64.max`, which SQLite cannot hold as an integer.
    public func bind(_ index: Int, _ value: UInt64) throws(SQLiteError) {
        guard let number = Int64(exactly: value) else { throw SQLiteError(code: SQLITE_MISMATCH, operation: "bind") }
        try bind(index, number)
    }

    /// Throws SQLITE_MISMATCH for not-a-number, which SQLite would store as NULL.
    public func bind(_ index: Int, _ value: Double) throws(SQLiteError) {
        guard !value.isNaN else { throw SQLiteError(code: SQLITE_MISMATCH, operation: "bind") }
        try check(unsafe sqlite3_bind_double(handle, Int32(clamping: index), value))
    }

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

    public func bind(_ index: Int, _ value: [UInt8]) throws(SQLiteError) {
        try check(unsafe furrow_sqlite_bind_blob(handle, Int32(clamping: index), value, UInt64(value.count)))
    }

    /// Binds two blobs as they are, uncopied, runs a statement that gives no rows, and resets it whatever happens.
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

    public func bindNull(_ index: Int) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_null(handle, Int32(clamping: index)))
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw database.error(code, "bind") }
    }
}

extension Statement {
    public func isNull(_ column: Int) -> Bool {
        unsafe sqlite3_column_type(handle, Int32(clamping: column)) == SQLITE_NULL
    }

    public func integer(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(handle, Int32(clamping: column)) }

    public func real(_ column: Int) -> Double { unsafe sqlite3_column_double(handle, Int32(clamping: column)) }

    /// The column as text; bytes that are not UTF-8 come out as U+FFFD.
    public func text(_ column: Int) -> String {
        guard let start = unsafe sqlite3_column_text(handle, Int32(clamping: column)) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(handle, Int32(clamping: column)))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    public func blob(_ column: Int) -> [UInt8] { unsafe Array(bytes(column)) }

    public func byteCount(_ column: Int) -> Int { unsafe Int(sqlite3_column_bytes(handle, Int32(clamping: column))) }

    /// Puts a column's bytes behind others.
    public func append(_ column: Int, to bytes: inout [UInt8]) {
        unsafe bytes.append(contentsOf: self.bytes(column))
    }

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
