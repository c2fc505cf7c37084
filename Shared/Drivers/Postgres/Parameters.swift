/// The values of one call in libpq's form: one buffer and the position of each value in it.
struct Parameters {
    /// The declared types, by position; with `TypeOID.unspecified` the server infers the type.
    private(set) var types: [UInt32] = []
    /// Whether each position is null, which fits any type.
    private(set) var nulls: [Bool] = []
    private var bytes: [UInt8] = []
    private var starts: [Int] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// Encodes the values.
    ///
    /// - Throws: 54000 if there are too many, 22021 for a text with a NUL, which PostgreSQL cannot store.
    init(_ values: [PGValue], operation: String) throws(PostgresError) {
        guard values.count <= PostgresLimits.parameters else {
            throw PostgresError(
                code: "54000", operation: operation, message: "more than \(PostgresLimits.parameters) parameters")
        }
        types.reserveCapacity(values.count)
        starts.reserveCapacity(values.count)
        for value in values { try append(value, operation: operation) }
    }

    private mutating func append(_ value: PGValue, operation: String) throws(PostgresError) {
        let start = bytes.count
        switch value {
        case .null: break
        case .integer(let integer): bytes.append(bigEndian: UInt64(bitPattern: integer))
        case .real(let real): bytes.append(bigEndian: real.bitPattern)
        case .boolean(let boolean): bytes.append(boolean ? 1 : 0)
        case .bytes(let blob): bytes.append(contentsOf: blob)
        case .text(let text):
            bytes.append(contentsOf: text.utf8)
            guard !bytes[start...].contains(0) else {
                throw PostgresError(code: "22021", operation: operation, message: "a text holds a NUL")
            }
        }
        guard bytes.count - start <= PostgresLimits.valueBytes else {
            throw PostgresError(code: "54000", operation: operation, message: "a value is larger than 1 GiB")
        }
        starts.append(start)
        lengths.append(Int32(bytes.count - start))
        nulls.append(value == .null)
        types.append(Self.type(of: value))
        if case .text = value {
            formats.append(0)
            // libpq finds the end of a text by its NUL.
            bytes.append(0)
        } else {
            formats.append(1)
            // An empty value needs an address; otherwise it would be a null.
            if bytes.count == start { bytes.append(0) }
        }
    }

    private static func type(of value: PGValue) -> UInt32 {
        switch value {
        case .null, .text: TypeOID.unspecified
        case .integer: TypeOID.int8
        case .real: TypeOID.float8
        case .boolean: TypeOID.bool
        case .bytes: TypeOID.bytea
        }
    }

    /// Calls `body` with the count, values, lengths and formats, valid during the call.
    func lend<Response>(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Response
    ) -> Response {
        unsafe bytes.withUnsafeBytes { buffer in
            var pointers: [UnsafePointer<CChar>?] = unsafe []
            unsafe pointers.reserveCapacity(starts.count)
            for index in starts.indices {
                let address = unsafe buffer.baseAddress?.advanced(by: starts[index])
                unsafe pointers.append(nulls[index] ? nil : address?.assumingMemoryBound(to: CChar.self))
            }
            return unsafe pointers.withUnsafeBufferPointer { pointers in
                unsafe lengths.withUnsafeBufferPointer { lengths in
                    unsafe formats.withUnsafeBufferPointer { formats in
                        unsafe body(
                            Int32(starts.count), pointers.baseAddress, lengths.baseAddress, formats.baseAddress)
                    }
                }
            }
        }
    }
}

extension [UInt8] {
    /// Appends an integer in network byte order, as in PostgreSQL's binary forms.
    mutating func append<Integer: FixedWidthInteger>(bigEndian integer: Integer) {
        var shift = Integer.bitWidth
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: integer >> Integer(shift)))
        }
    }
}
