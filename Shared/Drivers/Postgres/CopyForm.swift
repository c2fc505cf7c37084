/// The encoding of rows for COPY, which depends on the types of the columns.
struct CopyForm {
    let types: [UInt32]
    let isBinary: Bool

    init(types: [UInt32]) {
        self.types = types
        isBinary = types.allSatisfy(TypeOID.isCheapInBinary)
    }

    /// The header: signature, flags and extension length (PostgreSQL, COPY, "Binary Format").
    var opening: [UInt8] {
        isBinary ? Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0] : []
    }

    var closing: [UInt8] { isBinary ? [0xFF, 0xFF] : [] }

    /// Appends a row.
    ///
    /// - Throws: 22P04 if the number of values differs from the number of columns, 42804 if a value does not match its
    ///   column, 22021 for a NUL inside a text.
    func append(_ row: [PGValue], to buffer: inout [UInt8]) throws(PostgresError) {
        guard row.count == types.count else {
            throw error("22P04", "a row of \(row.count) values for \(types.count) columns")
        }
        if isBinary { buffer.append(bigEndian: UInt16(truncatingIfNeeded: row.count)) }
        for (column, value) in row.enumerated() {
            if case .text(let text) = value, text.utf8.contains(0) { throw error("22021", "a text holds a NUL") }
            if isBinary {
                try append(value, column, to: &buffer)
            } else {
                if column > 0 { buffer.append(0x09) }
                TextForm.append(value, to: &buffer)
            }
        }
        if !isBinary { buffer.append(0x0A) }
    }

    private func append(_ value: PGValue, _ column: Int, to buffer: inout [UInt8]) throws(PostgresError) {
        let type = types[column]
        switch (value, type) {
        case (.null, _): buffer.append(bigEndian: UInt32.max)
        case (.integer(let integer), TypeOID.int8): field(integer, to: &buffer)
        case (.integer(let integer), TypeOID.int4): field(try fitting(integer, column) as Int32, to: &buffer)
        case (.integer(let integer), TypeOID.int2): field(try fitting(integer, column) as Int16, to: &buffer)
        case (.integer(let integer), TypeOID.oid): field(try fitting(integer, column) as UInt32, to: &buffer)
        case (.integer(let integer), TypeOID.float8): field(Double(integer).bitPattern, to: &buffer)
        case (.real(let real), TypeOID.float8): field(real.bitPattern, to: &buffer)
        case (.real(let real), TypeOID.float4): field(Float(real).bitPattern, to: &buffer)
        case (.boolean(let boolean), TypeOID.bool): field(boolean ? 1 as UInt8 : 0, to: &buffer)
        case (.bytes(let bytes), TypeOID.bytea): field(bytes[...], to: &buffer)
        case (.text(let text), TypeOID.jsonb): field(([1] + text.utf8)[...], to: &buffer)
        case (.text(let text), TypeOID.text), (.text(let text), TypeOID.varchar), (.text(let text), TypeOID.bpchar),
            (.text(let text), TypeOID.name), (.text(let text), TypeOID.json):
            field(Array(text.utf8)[...], to: &buffer)
        default: throw error("42804", "column \(column + 1) has another type")
        }
    }

    private func fitting<Integer: FixedWidthInteger>(
        _ integer: Int64, _ column: Int
    ) throws(PostgresError) -> Integer {
        guard let fits = Integer(exactly: integer) else {
            throw error("22003", "a number is out of range for column \(column + 1)")
        }
        return fits
    }

    private func field<Integer: FixedWidthInteger>(_ integer: Integer, to buffer: inout [UInt8]) {
        buffer.append(bigEndian: UInt32(Integer.bitWidth / 8))
        buffer.append(bigEndian: integer)
    }

    private func field(_ bytes: ArraySlice<UInt8>, to buffer: inout [UInt8]) {
        buffer.append(bigEndian: UInt32(truncatingIfNeeded: bytes.count))
        buffer.append(contentsOf: bytes)
    }

    private func error(_ code: String, _ message: String) -> PostgresError {
        PostgresError(code: code, operation: "copy", message: message)
    }
}
