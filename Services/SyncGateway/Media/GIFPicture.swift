/// Rewrites a GIF file (CompuServe, GIF89a) without comments, texts and application data. The repetition count of an
/// animation is retained.
enum GIFPicture {
    private static let repeats: Set = ["NETSCAPE2.0", "ANIMEXTS1.0"]

    static func written(_ bytes: [UInt8]) throws(PictureError) -> [UInt8] {
        var reader = try PictureReader(bytes, from: 0)
        var written: [UInt8] = []
        let version = try reader.take(6)
        guard version.elementsEqual("GIF87a".utf8) || version.elementsEqual("GIF89a".utf8) else {
            throw .damaged("its version is unknown")
        }
        let screen = try reader.take(7)
        written += version + screen
        written += try colours(screen[screen.startIndex + 4], &reader)
        var hasPixels = false
        while true {
            let kind = try reader.byte()
            switch kind {
            case 0x2C:
                let image = try reader.take(9)
                written += [kind] + image
                written += try colours(image[image.startIndex + 8], &reader)
                written.append(try reader.byte())
                written += try blocks(&reader)
                hasPixels = true
            case 0x21: written += try extensionBlock(&reader)
            case 0x3B:
                guard hasPixels else { throw .damaged("it has no pixels") }
                return written + [kind]
            default: throw .damaged("it has a part that GIF does not have")
            }
        }
    }

    /// Reads the colour table at this place, if the flags announce one.
    private static func colours(_ flags: UInt8, _ reader: inout PictureReader) throws(PictureError) -> ArraySlice<UInt8>
    {
        flags & 0x80 == 0 ? [] : try reader.take(3 << (Int(flags & 0x07) + 1))
    }

    /// Reads the sub-blocks up to the empty one, with their lengths.
    private static func blocks(_ reader: inout PictureReader) throws(PictureError) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let length = try reader.byte()
            all.append(length)
            guard length > 0 else { return all }
            all += try reader.take(Int(length))
        }
    }

    /// Reads an extension. Returns it whole if it is retained, otherwise nothing.
    private static func extensionBlock(_ reader: inout PictureReader) throws(PictureError) -> [UInt8] {
        let label = try reader.byte()
        let all = try blocks(&reader)
        let name = String(decoding: all.dropFirst().prefix(11), as: UTF8.self)
        let isKept = label == 0xF9 || label == 0xFF && all.first == 11 && repeats.contains(name)
        return isKept ? [0x21, label] + all : []
    }
}
