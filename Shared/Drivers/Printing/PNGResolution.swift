/// Adds the resolution to a PNG, which cairo omits: the `pHYs` chunk (PNG specification, 11.3.5.3).
enum PNGResolution {
    /// Returns the PNG with a `pHYs` chunk after its header.
    static func stating(dotsPerInch: Int, in png: [UInt8]) -> [UInt8] {
        let perMetre = UInt32((Double(dotsPerInch) / 0.0254).rounded())
        // Both axes, and 1 for "in metres".
        let chunk = Array("pHYs".utf8) + bytes(perMetre) + bytes(perMetre) + [1]
        let header = 8 + 25
        return Array(png.prefix(header)) + bytes(9) + chunk + bytes(checksum(chunk)) + png.dropFirst(header)
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// Returns the CRC-32 of the PNG specification, annex D.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var rest: UInt32 = .max
        for byte in bytes {
            rest ^= UInt32(byte)
            for _ in 0..<8 { rest = rest & 1 == 1 ? 0xEDB8_8320 ^ (rest >> 1) : rest >> 1 }
        }
        return ~rest
    }
}
