/// Writes numbers with seven bits in a byte, lowest first (LEB128); signed ones as zigzag.
struct VarintWriter {
    private(set) var bytes: [UInt8] = []

    mutating func unsigned(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func signed(_ value: Int64) { unsigned(UInt64(bitPattern: value << 1 ^ value >> 63)) }
}

/// Reads the output of a `VarintWriter`; nil if the bytes end too early.
struct VarintReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { place == bytes.count }

    /// Reads a number of at most ten bytes.
    mutating func unsigned() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard place < bytes.count else { return nil }
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    mutating func signed() -> Int64? {
        unsigned().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
    }
}
