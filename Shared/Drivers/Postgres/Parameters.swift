/// The values of one call in the form libpq takes them: one buffer, and where each value lies in it.
struct Parameters {
    /// Declared types, by position; `TypeOID.unspecified` lets the server decide.
    private(set) var types: [UInt32] = []
    /// Which positions are null, and so fit any type.
    private(set) var nulls: [Bool] = []
    private var bytes: [UInt8] = []
    private var starts: [Int] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// - Throws: 54000 when there are too many, 22021 for a text with a NUL inside, which no PostgreSQL text can hold.
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
            // libpq measures text by its NUL.
            bytes.append(0)
        } else {
            formats.append(1)
            // An empty value must still have an address, or it would be a null.
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

    /// Lends count, values, lengths and formats to one libpq call.
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
    /// Appends an integer in network byte order, as PostgreSQL's binary forms have it.
    mutating func append<Integer: FixedWidthInteger>(bigEndian integer: Integer) {
        var shift = Integer.bitWidth
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: integer >> Integer(shift)))
        }
    }
}
