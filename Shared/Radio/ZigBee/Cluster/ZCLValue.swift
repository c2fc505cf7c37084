/// The value of one ZCL attribute.
public indirect enum ZCLValue: Hashable, Sendable {
    /// The marker for "no value" of its type, or a type without values.
    case invalid
    case bool(Bool)
    /// Unsigned numbers, bitmaps, enumerations, times, identifiers.
    case unsigned(UInt64)
    case signed(Int64)
    case float(Double)
    case text(String)
    /// Octet strings, keys and plain data.
    case bytes([UInt8])
    /// Arrays, sets and bags.
    case list([ZCLValue])
    case structure([ZCLValue])

    /// The value as a number; nil if it is none.
    var number: Double? {
        switch self {
        case .unsigned(let value): Double(value)
        case .signed(let value): Double(value)
        case .float(let value): value
        default: nil
        }
    }
}

/// The data types of the ZigBee Cluster Library (ZCL specification, section 2.6.2), as bytes on the air.
enum ZCLType {
    static let bool: UInt8 = 0x10
    static let uint8: UInt8 = 0x20
    static let uint16: UInt8 = 0x21
    static let int16: UInt8 = 0x29
    static let int32: UInt8 = 0x2B
    static let float: UInt8 = 0x39
    static let octets: UInt8 = 0x41
    static let text: UInt8 = 0x42
    static let structure: UInt8 = 0x4C

    /// Reads one value. Throws if the type is unknown, because its length is then unknown.
    ///
    /// With `clamps`, a string that claims more bytes than there are ends with them.
    static func read(
        _ type: UInt8, _ reader: inout ByteReader, clamps: Bool = false, depth: Int = 0
    ) throws(Malformed) -> ZCLValue {
        switch type {
        case 0x00, 0xFF: return .invalid
        case 0x08...0x0F: return .bytes(try reader.take(Int(type) - 0x07))
        case bool:
            let value = try reader.u8()
            return value == 0xFF ? .invalid : .bool(value != 0)
        case 0x18...0x1F: return .unsigned(try reader.unsigned(Int(type) - 0x17))
        case 0x20...0x27: return try unsigned(&reader, width: Int(type) - 0x1F)
        case 0x28...0x2F: return try signed(&reader, width: Int(type) - 0x27)
        case 0x30: return try unsigned(&reader, width: 1)
        case 0x31, 0xE8, 0xE9: return try unsigned(&reader, width: 2)
        case 0x38: return float(half: try reader.u16())
        case 0x39: return float(Double(Float(bitPattern: try reader.u32())))
        case 0x3A: return float(Double(bitPattern: try reader.u64()))
        case octets, text, 0x43, 0x44: return try string(type, &reader, clamps: clamps)
        case 0x48, 0x50, 0x51: return try list(&reader, depth: depth)
        case structure: return try structure(&reader, depth: depth)
        case 0xE0, 0xE1, 0xE2, 0xEA: return try unsigned(&reader, width: 4)
        case 0xF0: return try unsigned(&reader, width: 8)
        case 0xF1: return .bytes(try reader.take(16))
        default: throw Malformed("no such ZCL type", at: reader.offset)
        }
    }

    private static func unsigned(_ reader: inout ByteReader, width: Int) throws(Malformed) -> ZCLValue {
        let value = try reader.unsigned(width)
        return value == UInt64.max >> UInt64(64 - 8 * width) ? .invalid : .unsigned(value)
    }

    private static func signed(_ reader: inout ByteReader, width: Int) throws(Malformed) -> ZCLValue {
        let value = try reader.signed(width)
        return value == Int64.min >> Int64(64 - 8 * width) ? .invalid : .signed(value)
    }

    private static func float(_ value: Double) -> ZCLValue { value.isFinite ? .float(value) : .invalid }

    /// Returns a half-precision number (IEEE 754 binary16).
    private static func float(half bits: UInt16) -> ZCLValue {
        let exponent = Int(bits >> 10 & 0x1F)
        let fraction = Double(bits & 0x3FF) / 1024
        guard exponent < 31 else { return .invalid }
        let magnitude =
            exponent == 0
            ? fraction * 0x1p-14 : (1 + fraction) * Double(sign: .plus, exponent: exponent - 15, significand: 1)
        return .float(bits & 0x8000 == 0 ? magnitude : -magnitude)
    }

    private static func string(
        _ type: UInt8, _ reader: inout ByteReader, clamps: Bool
    ) throws(Malformed) -> ZCLValue {
        let isLong = type > text
        var length = isLong ? Int(try reader.u16()) : Int(try reader.u8())
        if length == (isLong ? 0xFFFF : 0xFF), length > reader.remaining { return .invalid }
        if clamps { length = min(length, reader.remaining) }
        let bytes = try reader.take(length)
        return type == octets || type == 0x43 ? .bytes(bytes) : .text(String(decoding: bytes, as: UTF8.self))
    }

    private static func list(_ reader: inout ByteReader, depth: Int) throws(Malformed) -> ZCLValue {
        guard depth < RadioLimits.depth else { throw Malformed("lies too deep", at: reader.offset) }
        let type = try reader.u8()
        let count = try reader.u16()
        guard count != 0xFFFF else { return .invalid }
        var values: [ZCLValue] = []
        for _ in 0..<count {
            let start = reader.offset
            values.append(try read(type, &reader, depth: depth + 1))
            guard reader.offset > start else { throw Malformed("a list of nothing", at: start) }
        }
        return .list(values)
    }

    private static func structure(_ reader: inout ByteReader, depth: Int) throws(Malformed) -> ZCLValue {
        guard depth < RadioLimits.depth else { throw Malformed("lies too deep", at: reader.offset) }
        let count = try reader.u16()
        guard count != 0xFFFF else { return .invalid }
        var values: [ZCLValue] = []
        for _ in 0..<count {
            let type = try reader.u8()
            values.append(try read(type, &reader, depth: depth + 1))
        }
        return .structure(values)
    }
}
