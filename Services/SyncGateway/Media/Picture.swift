/// The reason why bytes are not accepted as a picture.
enum PictureError: Error, Equatable {
    /// Neither PNG, JPEG, WebP nor GIF. Formats that can hold scripts, such as SVG, are excluded.
    case unknown
    /// The defect, worded as the end of a sentence about the picture.
    case damaged(String)
}

/// A picture without the metadata that cameras and programs add: place, time, device, names, comments, previews.
///
/// Its parts are parsed strictly, and only those that a browser needs are written again; the pixels do not change. The
/// orientation is the only metadata that is retained, because viewers need it.
struct Picture {
    let bytes: [UInt8]

    /// Parses a picture and removes its metadata. Throws `PictureError` if the bytes are no intact picture.
    init(withoutMetadata bytes: [UInt8]) throws(PictureError) {
        switch Self.type(of: bytes) {
        case "image/png": self.bytes = try PNGPicture.written(bytes)
        case "image/jpeg": self.bytes = try JPEGPicture.written(bytes)
        case "image/webp": self.bytes = try WebPPicture.written(bytes)
        case "image/gif": self.bytes = try GIFPicture.written(bytes)
        default: throw .unknown
        }
    }

    /// Returns the media type by the first bytes, or nil if they are no picture.
    static func type(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: PNGPicture.signature) { return "image/png" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: Array("GIF8".utf8)) { return "image/gif" }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return "image/webp"
        }
        return nil
    }
}

/// Reads the parts of a picture in sequence. Reading beyond the end throws.
struct PictureReader {
    private let bytes: [UInt8]
    private(set) var place: Int
    let end: Int

    init(_ bytes: [UInt8], from place: Int) throws(PictureError) {
        (self.bytes, self.place, end) = (bytes, place, bytes.count)
        guard place <= end else { throw Self.isCutOff }
    }

    static let isCutOff = PictureError.damaged("it is cut off")

    mutating func byte() throws(PictureError) -> UInt8 {
        guard place < end else { throw Self.isCutOff }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func take(_ count: Int) throws(PictureError) -> ArraySlice<UInt8> {
        guard count <= end - place else { throw Self.isCutOff }
        defer { place += count }
        return bytes[place..<place + count]
    }

    /// Reads `count` bytes as a number.
    mutating func number(bytes count: Int, isBigEndian: Bool = true) throws(PictureError) -> Int {
        let part = try take(count)
        return isBigEndian
            ? part.reduce(0) { $0 << 8 | Int($1) } : part.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads a JPEG's entropy-coded pixels up to the next marker.
    mutating func pixels() throws(PictureError) -> ArraySlice<UInt8> {
        let start = place
        while let mark = bytes[place...].firstIndex(of: 0xFF), mark + 1 < end {
            switch bytes[mark + 1] {
            case 0x00, 0xD0...0xD7: place = mark + 2
            case 0xFF: place = mark + 1
            default:
                place = mark
                return bytes[start..<mark]
            }
        }
        throw Self.isCutOff
    }
}
