/// The rotation or mirroring with which a picture is displayed: the tag `Orientation` of Exif 2.32 (4.6.4 A), 2 to 8.
struct Orientation: Equatable {
    private static let tag = 0x0112
    private static let short = 3

    let value: UInt8

    /// Reads the tag from Exif's TIFF structure; nil if the picture is upright or the structure is unreadable.
    ///
    /// Unreadable metadata does not make a picture unusable: it is left out.
    init?(tiff: ArraySlice<UInt8>) {
        let bytes = Array(tiff)
        let isBigEndian: Bool
        switch bytes.prefix(4) {
        case [0x4D, 0x4D, 0, 42]: isBigEndian = true
        case [0x49, 0x49, 42, 0]: isBigEndian = false
        default: return nil
        }
        func number(_ count: Int, at place: Int) -> Int? {
            guard place + count <= bytes.count else { return nil }
            let part = bytes[place..<place + count]
            return isBigEndian
                ? part.reduce(0) { $0 << 8 | Int($1) } : part.reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        guard let first = number(4, at: 4), let count = number(2, at: first) else { return nil }
        for index in 0..<count {
            let entry = first + 2 + index * 12
            guard let tag = number(2, at: entry) else { return nil }
            guard tag == Self.tag else { continue }
            guard number(2, at: entry + 2) == Self.short, let value = number(2, at: entry + 8), (2...8).contains(value)
            else { return nil }
            self.value = UInt8(value)
            return
        }
        return nil
    }

    /// A TIFF structure that holds only this tag.
    var tiff: [UInt8] {
        [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8,  // big-endian, its only directory follows
            0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0,  // one entry: the tag, one short number
            0, 0, 0, 0,  // no further directory
        ]
    }
}
