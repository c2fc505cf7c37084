/// Rewrites a JPEG file (ITU-T T.81, annex B). Of its application segments, those of JFIF, Adobe and the colour profile
/// are retained.
///
/// Data behind the end marker is removed: cameras store further pictures and films there.
enum JPEGPicture {
    private enum Marker {
        static let start: UInt8 = 0xD8
        static let end: UInt8 = 0xD9
        static let scan: UInt8 = 0xDA
        static let exif: UInt8 = 0xE1
    }

    static func written(_ bytes: [UInt8]) throws(PictureError) -> [UInt8] {
        var reader = try PictureReader(bytes, from: 2)
        var jfif: [UInt8] = []
        var parts: [UInt8] = []
        var turned: Orientation?
        var (hasFrame, hasScan) = (false, false)
        while true {
            let marker = try marker(&reader)
            if marker == Marker.end { break }
            let data = try reader.take(try length(&reader))
            switch marker {
            case 0xC4, 0xCC, 0xDB, 0xDC, 0xDD: append(marker, data, to: &parts)
            case 0xC0...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                hasFrame = true
                append(marker, data, to: &parts)
            case Marker.scan:
                guard hasFrame else { throw .damaged("its pixels come before their size") }
                hasScan = true
                append(marker, data, to: &parts)
                parts += try reader.pixels()
            case 0xE0:
                if jfif.isEmpty { jfif = Self.jfif(data) }
            case Marker.exif: turned = turned ?? exif(data)
            case 0xE2:
                if data.starts(with: Array("ICC_PROFILE\0".utf8)) { append(marker, data, to: &parts) }
            case 0xEE:
                // Decoders need it to interpret the colours; Adobe defines its first twelve bytes.
                if data.starts(with: Array("Adobe".utf8)), data.count >= 12 {
                    append(marker, data.prefix(12), to: &parts)
                }
            case 0xE3...0xED, 0xEF, 0xFE: break
            default: throw .damaged("it has a part that JPEG does not have")
            }
        }
        guard hasScan else { throw .damaged("it has no pixels") }
        var orientation: [UInt8] = []
        if let turned { append(Marker.exif, Array("Exif\0\0".utf8)[...] + turned.tiff, to: &orientation) }
        return [0xFF, Marker.start] + jfif + orientation + parts + [0xFF, Marker.end]
    }

    /// Returns how the picture is to be turned for viewing; nil if it is upright, or no intact JPEG.
    static func orientation(of bytes: [UInt8]) -> Orientation? {
        do throws(PictureError) {
            guard Picture.type(of: bytes) == "image/jpeg" else { return nil }
            var reader = try PictureReader(bytes, from: 2)
            while true {
                let marker = try marker(&reader)
                guard marker != Marker.scan, marker != Marker.end else { return nil }
                let data = try reader.take(try length(&reader))
                if marker == Marker.exif { return exif(data) }
            }
        } catch {
            return nil
        }
    }

    /// Reads a marker, which fill bytes may precede.
    private static func marker(_ reader: inout PictureReader) throws(PictureError) -> UInt8 {
        guard try reader.byte() == 0xFF else { throw .damaged("a part of it does not begin where it should") }
        while true {
            let byte = try reader.byte()
            guard byte == 0xFF else { return byte }
        }
    }

    private static func length(_ reader: inout PictureReader) throws(PictureError) -> Int {
        let length = try reader.number(bytes: 2)
        guard length >= 2 else { throw .damaged("a part of it has no length") }
        return length - 2
    }

    private static func append(_ marker: UInt8, _ data: ArraySlice<UInt8>, to parts: inout [UInt8]) {
        let length = data.count + 2
        parts += [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)]
        parts += data
    }

    /// Returns a JFIF segment with version and density, without a preview; empty if the segment belongs to another
    /// application.
    private static func jfif(_ data: ArraySlice<UInt8>) -> [UInt8] {
        guard data.starts(with: Array("JFIF\0".utf8)), data.count >= 14 else { return [] }
        var part: [UInt8] = []
        append(0xE0, data.prefix(12) + [0, 0], to: &part)
        return part
    }

    private static func exif(_ data: ArraySlice<UInt8>) -> Orientation? {
        let name = Array("Exif\0\0".utf8)
        return data.starts(with: name) ? Orientation(tiff: data.dropFirst(name.count)) : nil
    }
}
