import Printing

@testable import SyncGateway

/// An uploaded picture: stripping it again gives the same bytes, and a report can be printed with it.
enum PictureReading {
    static func read(_ bytes: [UInt8]) {
        print(bytes)
        guard let written = written(bytes) else { return }
        precondition(Picture.type(of: written) == Picture.type(of: bytes), "another type")
        precondition(self.written(written) == written, "stripping again gives other bytes")
    }

    private static func print(_ bytes: [UInt8]) {
        // A file takes a millisecond to draw, so only some of the pictures are drawn.
        guard let picture = PrintablePicture(bytes), bytes.count.isMultiple(of: 8) else { return }
        let rows = [Report.Row(title: "Saw", picture: picture)]
        let report = Report(title: "Tools", lines: [], groups: [Report.Group(title: "Found", rows: rows)])
        do throws(PrintError) {
            let file = try ReportArtwork.pdf(report)
            precondition(file.starts(with: Array("%PDF-".utf8)), "no file")
        } catch {
            preconditionFailure("a report cannot be printed: \(error)")
        }
    }

    private static func written(_ bytes: [UInt8]) -> [UInt8]? {
        do throws(PictureError) { return try Picture(withoutMetadata: bytes).bytes } catch { return nil }
    }

    /// Returns a picture of each type with metadata, and one without each of its parts.
    static func seeds() -> [[UInt8]] {
        [jpeg, png, webp, gif].flatMap { parts in
            [parts.flatMap { $0 }]
                + parts.indices.map { index in
                    parts.enumerated().flatMap { $0.offset == index ? [] : $0.element }
                }
        } + [Array("GIF89b".utf8), Array("RIFF\u{1}\0\0\0WEBP".utf8), Array("RIFF\u{2}\0\0\0WEBP".utf8)]
    }

    /// Exif of a rotated picture.
    private static let exif: [UInt8] = [
        0x49, 0x49, 42, 0, 8, 0, 0, 0, 2, 0, 0x0F, 1, 2, 0, 1, 0, 0, 0, 0x41, 0, 0, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0,
        0,
        0, 0, 0, 0, 0,
    ]

    private static let jpeg: [[UInt8]] = [
        [0xFF, 0xD8], segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 0, 0]),
        segment(0xE1, Array("Exif\0\0".utf8) + exif), segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1]),
        segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1]), segment(0xFE, [1]), segment(0xDB, [1]),
        segment(0xC0, [8]), segment(0xDA, [1]), [7, 0xFF, 0, 0xFF, 0xD0, 0xFF, 0xFF, 0, 8], [0xFF, 0xD9],
    ]

    private static func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8] {
        [0xFF, marker, 0, UInt8(data.count + 2)] + data
    }

    private static let png: [[UInt8]] = [
        PNGPicture.signature, chunk("IHDR", Array(repeating: 1, count: 13)), chunk("tEXt", [1]), chunk("eXIf", exif),
        chunk("gAMA", [1]), chunk("EVIL", []), chunk("IDAT", [1]), chunk("IEND", []),
    ]

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let sum = PNGPicture.checksum(Array(name.utf8)[...], data[...])
        return [0, 0, 0, UInt8(data.count)] + Array(name.utf8) + data
            + (0..<4).reversed().map { UInt8(sum >> ($0 * 8) & 0xFF) }
    }

    private static let webp: [[UInt8]] = [
        Array("RIFF".utf8) + [104, 0, 0, 0] + Array("WEBP".utf8), part("VP8X", [0x0C, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        part("ICCP", [1]), part("VP8L", [1, 2]), part("EXIF", Array("Exif\0\0".utf8) + exif), part("XMP ", [1]),
    ]

    private static func part(_ name: String, _ data: [UInt8]) -> [UInt8] {
        Array(name.utf8) + [UInt8(data.count), 0, 0, 0] + data + (data.count % 2 == 1 ? [0] : [])
    }

    private static let gif: [[UInt8]] = [
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0], [0, 0, 0, 1, 1, 1],
        [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0], [0x21, 0xFE, 1, 7, 0],
        [0x21, 0xF9, 4, 1, 0, 0, 0, 0], [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 1, 7, 0], [0x3B],
    ]
}
