/// Why bytes are not kept as a picture.
enum PictureError: Error, Equatable {
    /// Neither PNG, JPEG, WebP nor GIF. What can hold scripts is none of them.
    case unknown
    /// What is wrong, as the end of a sentence about the picture.
    case damaged(String)
}

/// A picture without what cameras and programs write beside the pixels: place, time, device, names, comments, previews.
///
/// Its parts are read strictly, and only those that a browser needs to show it are written again; the pixels stay as
/// they are. How a camera was turned is needed, so it is the one value of its metadata that stays.
struct Picture {
    let bytes: [UInt8]

    /// Reads a picture and leaves its metadata out.
    init(withoutMetadata bytes: [UInt8]) throws(PictureError) {
        switch Self.type(of: bytes) {
        case "image/png": self.bytes = try PNGPicture.written(bytes)
        case "image/jpeg": self.bytes = try JPEGPicture.written(bytes)
        case "image/webp": self.bytes = try WebPPicture.written(bytes)
        case "image/gif": self.bytes = try GIFPicture.written(bytes)
        default: throw .unknown
        }
    }

    /// The media type by the first bytes; nil for what is no picture.
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

/// Reads the parts of a picture one behind the other; nothing is read beyond the end.
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

    /// Four bytes or two as a number.
    mutating func number(bytes count: Int, isBigEndian: Bool = true) throws(PictureError) -> Int {
        let part = try take(count)
        return isBigEndian
            ? part.reduce(0) { $0 << 8 | Int($1) } : part.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Everything up to the next marker of a JPEG that is not part of the pixels.
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
