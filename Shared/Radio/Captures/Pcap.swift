import Vocabulary

/// The reader of pcap files of IEEE 802.15.4 frames, in either byte order, with microseconds or nanoseconds.
enum Pcap {
    /// The bytes around a MAC frame.
    private enum DataLink: UInt32 {
        /// A check sequence behind it.
        case withCheck = 195
        /// Preamble, start and length before it, a check sequence behind it.
        case withPreamble = 215
        case plain = 230
    }

    private struct Form {
        var isBigEndian: Bool
        var isNanoseconds: Bool
    }

    private static let forms: [UInt32: Form] = [
        0xA1B2_C3D4: Form(isBigEndian: true, isNanoseconds: false),
        0xD4C3_B2A1: Form(isBigEndian: false, isNanoseconds: false),
        0xA1B2_3C4D: Form(isBigEndian: true, isNanoseconds: true),
        0x4D3C_B2A1: Form(isBigEndian: false, isNanoseconds: true),
    ]

    static func recognises(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 4 else { return false }
        return forms[bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }] != nil
    }

    static func read(_ bytes: [UInt8]) throws(Malformed) -> [CapturedFrame] {
        var reader = ByteReader(bytes)
        guard let form = forms[try reader.u32BE()] else { throw Malformed("not pcap", at: 0) }
        try reader.skip(16)
        // For other links, the upper bits contain the length of the check sequence.
        guard let link = DataLink(rawValue: try reader.number(form.isBigEndian) & 0x0FFF_FFFF) else {
            throw Malformed("a data link that is not IEEE 802.15.4", at: 20)
        }
        var frames: [CapturedFrame] = []
        var number = 0
        // A capture that is still being written may end within a record; complete records are included.
        while reader.remaining >= 16, number < RadioLimits.captured {
            number += 1
            let start = reader.offset
            let seconds = Int64(try reader.number(form.isBigEndian))
            let fraction = Int64(try reader.number(form.isBigEndian))
            let length = Int(try reader.number(form.isBigEndian))
            try reader.skip(4)
            guard length <= RadioLimits.packet else { throw Malformed("a packet that is too long", at: start + 8) }
            guard length <= reader.remaining else { break }
            guard let frame = macFrame(try reader.take(length), link) else { continue }
            let microseconds = seconds * 1_000_000 + (form.isNanoseconds ? fraction / 1000 : fraction)
            frames.append(
                CapturedFrame(
                    number: number, time: Instant(microseconds: microseconds), medium: .ieee802154, bytes: frame))
        }
        return frames
    }

    /// Returns the MAC frame alone; nil if its check sequence does not match.
    private static func macFrame(_ bytes: [UInt8], _ link: DataLink) -> [UInt8]? {
        switch link {
        case .plain: bytes
        case .withCheck: checked(bytes)
        case .withPreamble:
            // Four zeros, 0xA7, the length in seven bits.
            bytes.count > 6 && bytes[4] == 0xA7 && Int(bytes[5] & 0x7F) <= bytes.count - 6
                ? checked(Array(bytes[6..<(6 + Int(bytes[5] & 0x7F))])) : nil
        }
    }

    private static func checked(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count > 2 else { return nil }
        let frame = Array(bytes.dropLast(2))
        let check = UInt16(bytes[bytes.count - 2]) | UInt16(bytes[bytes.count - 1]) << 8
        return MACFrame.check(frame) == check ? frame : nil
    }
}

extension ByteReader {
    fileprivate mutating func number(_ isBigEndian: Bool) throws(Malformed) -> UInt32 {
        try isBigEndian ? u32BE() : u32()
    }
}
