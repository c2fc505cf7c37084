@testable import SyncGateway

/// A sample picture with all the metadata that cameras and programs add.
struct PictureSample {
    /// The text that is part of every piece of metadata.
    static let canary = Array("Lat 46.6247 Lon 14.3053".utf8)

    let name: String
    let bytes: [UInt8]
    /// The parts that must be retained, in this order.
    let needed: [[UInt8]]

    static let all = [jpeg, plainJPEG, png, webp, gif]

    // MARK: JPEG

    static func segment(_ marker: UInt8, _ data: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((data.count + 2) >> 8), UInt8((data.count + 2) & 0xFF)] + data
    }

    /// A TIFF structure with a camera's name, an orientation and the place, in either byte order.
    static func exif(turned value: UInt8, isBigEndian: Bool = true) -> [UInt8] {
        func number(_ number: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(number >> ($0 * 8) & 0xFF) }
            return isBigEndian ? bytes.reversed() : bytes
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(count, 4) + value
        }
        let head = Array((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
        let entries = [
            entry(0x010F, 2, canary.count, number(50, 4)),
            entry(0x0112, 3, 1, number(Int(value), 2) + [0, 0]),
            entry(0x8825, 4, 1, number(50, 4)),
        ]
        return head + number(entries.count, 2) + entries.flatMap { $0 } + number(0, 4) + canary
    }

    private static let tables = segment(0xDB, Array(repeating: 3, count: 65))
    private static let frame = segment(0xC2, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])
    private static let huffman = segment(0xC4, [0] + Array(repeating: 0, count: 16))
    private static let icc = segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1, 7, 7, 7])
    private static let adobe = segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1])
    private static let pixels: [UInt8] = [0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56, 0xFF, 0xFF, 0x00, 0x78]
    private static func scan(_ last: UInt8) -> [UInt8] { segment(0xDA, [1, 1, 0, 0, 63, last]) + pixels }

    /// A progressive picture: two scans, and a comment between them.
    static let jpeg: PictureSample = {
        let jfif = segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 8, 1] + canary)
        let marked =
            segment(0xE1, Array("Exif\0\0".utf8) + exif(turned: 6))
            + segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + canary)
            + segment(0xED, Array("Photoshop 3.0\0".utf8) + canary)
            + segment(0xE2, Array("MPF\0".utf8) + canary) + segment(0xFE, canary)
            + segment(0xE0, Array("JFXX\0".utf8) + canary)
        let bytes =
            [0xFF, 0xD8] + jfif + marked + icc + adobe + tables + frame + [0xFF] + huffman + scan(1)
            + segment(0xFE, canary) + huffman + scan(2) + [0xFF, 0xD9] + [0xFF, 0xD8] + canary
        let written = Orientation(tiff: exif(turned: 6)[...])?.tiff ?? []
        return PictureSample(
            name: "jpeg", bytes: bytes,
            needed: [
                [0xFF, 0xD8] + segment(0xE0, Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 0, 0]),
                segment(0xE1, Array("Exif\0\0".utf8) + written), icc, adobe, tables, frame, huffman, scan(1), huffman,
                scan(2), [0xFF, 0xD9],
            ])
    }()

    /// An upright picture, whose Exif is not needed.
    static let plainJPEG: PictureSample = {
        let marked = segment(0xE1, Array("Exif\0\0".utf8) + exif(turned: 1, isBigEndian: false))
        return PictureSample(
            name: "plain jpeg",
            bytes: [0xFF, 0xD8] + marked + tables + frame + huffman + scan(0) + [0xFF, 0xD9],
            needed: [[0xFF, 0xD8], tables, frame, huffman, scan(0), [0xFF, 0xD9]])
    }()

    // MARK: PNG

    static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        func four(_ number: UInt32) -> [UInt8] { (0..<4).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) } }
        let sum = PNGPicture.checksum(Array(name.utf8)[...], data[...])
        return four(UInt32(data.count)) + Array(name.utf8) + data + four(sum)
    }

    static let png: PictureSample = {
        let head = chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 3, 0, 0, 0])
        let colours = [
            chunk("sRGB", [0]), chunk("gAMA", [0, 0, 0xB1, 0x8F]), chunk("iCCP", Array("p\0\0".utf8) + [1]),
        ]
        let (palette, clear) = (chunk("PLTE", [1, 2, 3]), chunk("tRNS", [9]))
        let marked =
            chunk("tEXt", Array("Comment\0".utf8) + canary) + chunk("iTXt", Array("XML:com.adobe.xmp\0".utf8) + canary)
            + chunk("tIME", [7, 0xEA, 1, 1, 1, 1, 1]) + chunk("eXIf", exif(turned: 8, isBigEndian: false))
        let turned = Orientation(tiff: exif(turned: 8)[...])?.tiff ?? []
        let pixels = [chunk("IDAT", [1, 2, 3, 4]), chunk("IDAT", [5])]
        let end = chunk("IEND", [])
        return PictureSample(
            name: "png",
            bytes: PNGPicture.signature + head + colours.flatMap { $0 } + palette + clear + marked
                + pixels.flatMap { $0 } + chunk("zTXt", canary) + end + canary,
            needed: [PNGPicture.signature + head] + colours + [palette, clear, chunk("eXIf", turned)] + pixels + [end])
    }()

    // MARK: WebP

    static func part(_ name: String, _ data: [UInt8]) -> [UInt8] {
        Array(name.utf8) + (0..<4).map { UInt8(data.count >> ($0 * 8) & 0xFF) } + data
            + (data.count % 2 == 1 ? [0] : [])
    }

    static func riff(_ parts: [UInt8]) -> [UInt8] {
        let size = parts.count + 4
        return Array("RIFF".utf8) + (0..<4).map { UInt8(size >> ($0 * 8) & 0xFF) } + Array("WEBP".utf8) + parts
    }

    static let webp: PictureSample = {
        let rest: [UInt8] = [0, 0, 0, 7, 0, 0, 7, 0, 0]
        let (icc, alpha, pixels) = (part("ICCP", [1, 2, 3]), part("ALPH", [4]), part("VP8 ", [5, 6, 7]))
        let marked = part("EXIF", exif(turned: 3)) + part("XMP ", canary) + part("NOTE", canary)
        let turned = Orientation(tiff: exif(turned: 3)[...])?.tiff ?? []
        return PictureSample(
            name: "webp", bytes: riff(part("VP8X", [0x3C] + rest) + icc + alpha + pixels + marked) + canary,
            needed: [part("VP8X", [0x38] + rest), icc, alpha, pixels, part("EXIF", turned)])
    }()

    // MARK: GIF

    static let gif: PictureSample = {
        let head = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0] + [0, 0, 0, 255, 255, 255]
        func block(_ data: [UInt8]) -> [UInt8] { [UInt8(data.count)] + data }
        let loop = [0x21, 0xFF] + block(Array("NETSCAPE2.0".utf8)) + block([1, 0, 0]) + [0]
        let control: [UInt8] = [0x21, 0xF9, 4, 1, 0, 0, 0, 0]
        let image: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0x80] + [9, 9, 9, 8, 8, 8] + [2] + block([0x4C, 1]) + [0]
        let marked =
            [0x21, 0xFE] + block(canary) + [0] + [0x21, 0xFF] + block(Array("XMP DataXMP".utf8)) + block(canary) + [0]
            + [0x21, 0x01] + block(Array(repeating: 0, count: 12)) + block(canary) + [0]
        return PictureSample(
            name: "gif", bytes: head + loop + marked + control + image + [0x3B] + canary,
            needed: [head, loop, control, image, [0x3B]])
    }()
}
