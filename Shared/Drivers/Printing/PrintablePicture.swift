/// A picture that can be printed: a JPEG or a PNG, whose size its header states.
public struct PrintablePicture: Sendable {
    enum Format: Sendable {
        case jpeg
        case png
    }

    let bytes: [UInt8]
    let format: Format
    let width: Int32
    let height: Int32

    /// Reads the header. Returns nil for another format, a damaged header, and a picture with more pixels than
    /// `PrintLimits` allows.
    public init?(_ bytes: [UInt8]) {
        guard let (format, width, height) = Self.header(bytes),
            (1...PrintLimits.pictureSide).contains(width), (1...PrintLimits.pictureSide).contains(height),
            format == .jpeg || width * height <= PrintLimits.decodedPixels
        else { return nil }
        self.bytes = bytes
        self.format = format
        self.width = Int32(width)
        self.height = Int32(height)
    }

    private static func header(_ bytes: [UInt8]) -> (Format, Int, Int)? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), bytes.count >= 24 {
            return (.png, number(bytes, 16) << 16 | number(bytes, 18), number(bytes, 20) << 16 | number(bytes, 22))
        }
        guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        var place = 2
        while place + 9 <= bytes.count, bytes[place] == 0xFF {
            let marker = bytes[place + 1]
            // A start of frame states height and width (ITU-T T.81, B.2.2); C4, C8 and CC are other segments.
            if 0xC0...0xCF ~= marker, ![0xC4, 0xC8, 0xCC].contains(marker) {
                return (.jpeg, number(bytes, place + 7), number(bytes, place + 5))
            }
            place += 2 + max(2, number(bytes, place + 2))
        }
        return nil
    }

    private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
        Int(bytes[place]) << 8 | Int(bytes[place + 1])
    }
}
