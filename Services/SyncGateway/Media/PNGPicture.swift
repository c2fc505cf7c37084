/// Rewrites a PNG file (ISO/IEC 15948) with its critical chunks and those that colours and transparency need.
enum PNGPicture {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private static let critical: Set = ["IHDR", "PLTE", "IDAT", "IEND"]
    private static let kept: Set = ["tRNS", "gAMA", "sRGB", "iCCP"]

    static func written(_ bytes: [UInt8]) throws(PictureError) -> [UInt8] {
        var reader = try PictureReader(bytes, from: signature.count)
        var written = signature
        var (isFirst, hasPixels) = (true, false)
        while true {
            let length = try reader.number(bytes: 4)
            let name = try reader.take(4)
            guard name.allSatisfy({ (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }) else {
                throw .damaged("a part of it has no name")
            }
            let data = try reader.take(length)
            guard try reader.number(bytes: 4) == Int(checksum(name, data)) else {
                throw .damaged("a part of it has a wrong checksum")
            }
            let kind = String(decoding: name, as: UTF8.self)
            guard isFirst == (kind == "IHDR"), kind != "IHDR" || length == 13 else {
                throw .damaged("its size does not stand at its beginning")
            }
            isFirst = false
            hasPixels = hasPixels || kind == "IDAT"
            if critical.contains(kind) || kept.contains(kind) {
                append(name, data, to: &written)
            } else if kind == "eXIf" {
                if let turned = Orientation(tiff: data) { append(name, turned.tiff[...], to: &written) }
            } else if name.first.map({ $0 & 0x20 == 0 }) == true {
                throw .damaged("it has a part that PNG does not have")
            }
            guard kind != "IEND" else { break }
        }
        guard hasPixels else { throw .damaged("it has no pixels") }
        return written
    }

    private static func append(_ name: ArraySlice<UInt8>, _ data: ArraySlice<UInt8>, to written: inout [UInt8]) {
        written += bigEndian(UInt32(data.count))
        written += name
        written += data
        written += bigEndian(checksum(name, data))
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [UInt8(number >> 24), UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
    }

    /// Returns the CRC-32 of annex D.
    static func checksum(_ parts: ArraySlice<UInt8>...) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for part in parts {
            for byte in part { sum = table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ sum >> 8 }
        }
        return sum ^ 0xFFFF_FFFF
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
    }
}
