/// A writer of numbers into bytes, little-endian unless noted otherwise.
package struct ByteWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func u8(_ value: UInt8) { bytes.append(value) }
    package mutating func u16(_ value: UInt16) { unsigned(UInt64(value), width: 2) }
    package mutating func u32(_ value: UInt32) { unsigned(UInt64(value), width: 4) }
    package mutating func u64(_ value: UInt64) { unsigned(value, width: 8) }
    package mutating func append(_ more: [UInt8]) { bytes += more }

    /// Appends the lowest `width` bytes of a number.
    package mutating func unsigned(_ value: UInt64, width: Int) {
        for index in 0..<width { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }

    /// Appends a count in one byte, then two bytes per value.
    package mutating func list(_ values: [UInt16]) {
        u8(UInt8(clamping: values.count))
        for value in values.prefix(255) { u16(value) }
    }
}
