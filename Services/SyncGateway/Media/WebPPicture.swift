/// Rewrites a WebP file (RFC 9649) without Exif, XMP and unknown chunks, and clears their flags in the header.
enum WebPPicture {
    private static let pixels: Set = ["VP8 ", "VP8L", "ANMF"]
    private static let kept: Set = ["ALPH", "ANIM", "ICCP"]
    private static let hasExif: UInt8 = 0x08
    private static let hasXMP: UInt8 = 0x04

    static func written(_ bytes: [UInt8]) throws(PictureError) -> [UInt8] {
        var sizes = try PictureReader(bytes, from: 4)
        let size = try sizes.number(bytes: 4, isBigEndian: false)
        guard size % 2 == 0 else { throw .damaged("its size is odd") }
        guard size <= bytes.count - 8 else { throw PictureReader.isCutOff }
        // The size covers the name and the chunks; bytes behind them do not belong to the picture.
        var reader = try PictureReader(Array(bytes.prefix(8 + size)), from: 12)
        var header: [UInt8]?
        var chunks: [UInt8] = []
        var turned: Orientation?
        var hasPixels = false
        while reader.place < reader.end {
            let name = String(decoding: try reader.take(4), as: UTF8.self)
            let data = try reader.take(try reader.number(bytes: 4, isBigEndian: false))
            if data.count % 2 == 1 { _ = try reader.byte() }
            switch name {
            case "VP8X":
                guard header == nil, chunks.isEmpty, data.count == 10 else { throw .damaged("its header is wrong") }
                header = Array(data)
            case _ where pixels.contains(name) || kept.contains(name):
                hasPixels = hasPixels || pixels.contains(name)
                append(name, Array(data), to: &chunks)
            case "EXIF": turned = turned ?? exif(data)
            default: break
            }
        }
        guard hasPixels else { throw .damaged("it has no pixels") }
        var written = Array("WEBP".utf8)
        if var header {
            header[0] &= ~(hasExif | hasXMP)
            if let turned {
                header[0] |= hasExif
                append("EXIF", turned.tiff, to: &chunks)
            }
            append("VP8X", header, to: &written)
        }
        written += chunks
        return Array("RIFF".utf8) + littleEndian(written.count) + written
    }

    /// Reads the orientation. Some programs write JPEG's `Exif` identifier before the TIFF structure.
    private static func exif(_ data: ArraySlice<UInt8>) -> Orientation? {
        let name = Array("Exif\0\0".utf8)
        return Orientation(tiff: data.starts(with: name) ? data.dropFirst(name.count) : data)
    }

    private static func append(_ name: String, _ data: [UInt8], to written: inout [UInt8]) {
        written += name.utf8
        written += littleEndian(data.count)
        written += data
        if data.count % 2 == 1 { written.append(0) }
    }

    private static func littleEndian(_ number: Int) -> [UInt8] {
        [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number >> 16 & 0xFF), UInt8(number >> 24 & 0xFF)]
    }
}
