/// A bounds-checked reader of numbers in untrusted bytes. Every read beyond the end throws ``Malformed``.
///
/// A reader of a part shares the bytes of the whole, so taking parts copies nothing.
package struct ByteReader: Sendable {
    private let bytes: [UInt8]
    /// The position of the next byte, from the start of the whole.
    package private(set) var offset: Int
    private let end: Int

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        offset = 0
        end = bytes.count
    }

    private init(_ bytes: [UInt8], from start: Int, to end: Int) {
        self.bytes = bytes
        offset = start
        self.end = end
    }

    package var remaining: Int { end - offset }
    package var isAtEnd: Bool { offset >= end }

    /// A copy of all unread bytes.
    package var rest: [UInt8] { Array(bytes[offset..<end]) }

    /// Returns the byte `distance` bytes ahead without reading it; nil beyond the end.
    package func peek(_ distance: Int = 0) -> UInt8? {
        guard distance >= 0, distance < remaining else { return nil }
        return bytes[offset + distance]
    }

    package func need(_ count: Int) throws(Malformed) {
        guard count >= 0, count <= remaining else {
            throw Malformed("ends \(count - remaining) bytes too early", at: end, isCutOff: true)
        }
    }

    /// Skips one byte; at the end nothing.
    package mutating func advance() {
        if !isAtEnd { offset += 1 }
    }

    package mutating func skip(_ count: Int) throws(Malformed) {
        try need(count)
        offset += count
    }

    package mutating func take(_ count: Int) throws(Malformed) -> [UInt8] {
        try need(count)
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// Returns a reader of the next `count` bytes, and skips them here. Throws if there are fewer.
    package mutating func part(_ count: Int) throws(Malformed) -> ByteReader {
        try need(count)
        defer { offset += count }
        return ByteReader(bytes, from: offset, to: offset + count)
    }

    package mutating func u8() throws(Malformed) -> UInt8 {
        try need(1)
        defer { offset += 1 }
        return bytes[offset]
    }

    package mutating func i8() throws(Malformed) -> Int8 { Int8(bitPattern: try u8()) }
}

// Little-endian, as in ZigBee and Bluetooth's link layer.
extension ByteReader {
    package mutating func u16() throws(Malformed) -> UInt16 { UInt16(truncatingIfNeeded: try unsigned(2)) }
    package mutating func u24() throws(Malformed) -> UInt32 { UInt32(truncatingIfNeeded: try unsigned(3)) }
    package mutating func u32() throws(Malformed) -> UInt32 { UInt32(truncatingIfNeeded: try unsigned(4)) }
    package mutating func u48() throws(Malformed) -> UInt64 { try unsigned(6) }
    package mutating func u64() throws(Malformed) -> UInt64 { try unsigned(8) }
    package mutating func i16() throws(Malformed) -> Int16 { Int16(bitPattern: try u16()) }

    /// Reads an unsigned number of 1 to 8 bytes.
    package mutating func unsigned(_ width: Int) throws(Malformed) -> UInt64 {
        try need(width)
        var value: UInt64 = 0
        for index in 0..<width {
            value |= UInt64(bytes[offset + index]) << (8 * UInt64(index))
        }
        offset += width
        return value
    }

    /// Reads a two's-complement number of 1 to 8 bytes.
    package mutating func signed(_ width: Int) throws(Malformed) -> Int64 {
        let shift = Int64(64 - 8 * width)
        return (Int64(bitPattern: try unsigned(width)) << shift) >> shift
    }
}

// Big-endian, as in Ruuvi, Eddystone and capture files.
extension ByteReader {
    package mutating func u16BE() throws(Malformed) -> UInt16 { UInt16(truncatingIfNeeded: try unsignedBE(2)) }
    package mutating func u24BE() throws(Malformed) -> UInt32 { UInt32(truncatingIfNeeded: try unsignedBE(3)) }
    package mutating func u32BE() throws(Malformed) -> UInt32 { UInt32(truncatingIfNeeded: try unsignedBE(4)) }
    package mutating func u48BE() throws(Malformed) -> UInt64 { try unsignedBE(6) }
    package mutating func u64BE() throws(Malformed) -> UInt64 { try unsignedBE(8) }
    package mutating func i16BE() throws(Malformed) -> Int16 { Int16(bitPattern: try u16BE()) }

    /// Reads an unsigned number of 1 to 8 bytes.
    package mutating func unsignedBE(_ width: Int) throws(Malformed) -> UInt64 {
        try need(width)
        var value: UInt64 = 0
        for index in 0..<width {
            value = value << 8 | UInt64(bytes[offset + index])
        }
        offset += width
        return value
    }
}
