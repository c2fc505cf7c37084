/// Reads and writes PostgreSQL's text forms, for results with a column that has no cheap binary form.
enum TextForm {
    /// Returns the value of `type` in `bytes`; text if it cannot be parsed.
    static func value(_ bytes: UnsafeRawBufferPointer, _ type: UInt32) -> PGValue {
        let text = unsafe String(decoding: bytes, as: UTF8.self)
        return switch type {
        case TypeOID.int8, TypeOID.int4, TypeOID.int2, TypeOID.oid: Int64(text).map { .integer($0) } ?? .text(text)
        case TypeOID.float8, TypeOID.float4: Double(text).map { .real($0) } ?? .text(text)
        case TypeOID.bool: .boolean(text == "t")
        case TypeOID.bytea: hexadecimal(text).map { .bytes($0) } ?? .text(text)
        default: .text(text)
        }
    }

    /// Returns the bytes of `\x0a1b…`, or nil.
    static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.starts(with: [0x5C, 0x78]), digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2 - 1)
        for index in stride(from: 2, to: digits.count, by: 2) {
            guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        case 0x41...0x46: digit - 0x41 + 10
        default: nil
        }
    }

    /// Appends one field of COPY's text format (PostgreSQL, COPY, "Text Format").
    static func append(_ value: PGValue, to line: inout [UInt8]) {
        switch value {
        case .null: line.append(contentsOf: "\\N".utf8)
        case .integer(let integer): line.append(contentsOf: "\(integer)".utf8)
        case .real(let real): line.append(contentsOf: name(of: real).utf8)
        case .boolean(let boolean): line.append(boolean ? 0x74 : 0x66)
        case .bytes(let bytes):
            line.append(contentsOf: "\\\\x".utf8)
            let digits = Array("0123456789abcdef".utf8)
            for byte in bytes {
                line.append(digits[Int(byte >> 4)])
                line.append(digits[Int(byte & 15)])
            }
        case .text(let text):
            for byte in text.utf8 {
                switch byte {
                case 0x5C: line.append(contentsOf: "\\\\".utf8)
                case 0x09: line.append(contentsOf: "\\t".utf8)
                case 0x0A: line.append(contentsOf: "\\n".utf8)
                case 0x0D: line.append(contentsOf: "\\r".utf8)
                default: line.append(byte)
                }
            }
        }
    }

    private static func name(of real: Double) -> String {
        real.isNaN ? "NaN" : real.isInfinite ? (real < 0 ? "-Infinity" : "Infinity") : "\(real)"
    }
}
