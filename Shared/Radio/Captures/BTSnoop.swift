import Vocabulary

/// The reader of btsnoop files (RFC 1761 with Bluetooth's data links); all big-endian.
enum BTSnoop {
    static let magic: [UInt8] = Array("btsnoop".utf8) + [0]

    /// Microseconds from the year 0 to 1970.
    static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000

    /// The format of the packets in a file.
    enum DataLink: UInt32 {
        /// Packets without a type byte; the record's flags contain the type.
        case bare = 1001
        case h4 = 1002
        /// BlueZ's monitor: flags are adapter and opcode.
        case monitor = 2001
    }

    static func read(_ bytes: [UInt8]) throws(Malformed) -> [CapturedFrame] {
        var reader = ByteReader(bytes)
        try reader.skip(magic.count)
        guard try reader.u32BE() == 1 else { throw Malformed("no such btsnoop version", at: 8) }
        guard let link = DataLink(rawValue: try reader.u32BE()) else {
            throw Malformed("a data link that is not Bluetooth", at: 12)
        }
        var frames: [CapturedFrame] = []
        var number = 0
        // A capture that is still being written may end within a record; complete records are included.
        while reader.remaining >= 24, number < RadioLimits.captured {
            number += 1
            let start = reader.offset
            try reader.skip(4)
            let length = Int(try reader.u32BE())
            let flags = try reader.u32BE()
            try reader.skip(4)
            let time = Int64(bitPattern: try reader.u64BE())
            guard length <= RadioLimits.packet else { throw Malformed("a packet that is too long", at: start + 4) }
            guard length <= reader.remaining else { break }
            let packet = try reader.take(length)
            guard let type = packetType(link, flags: flags) else { continue }
            frames.append(
                CapturedFrame(
                    number: number, time: Instant(microseconds: time &- epoch), medium: .bluetooth,
                    bytes: type + packet))
        }
        return frames
    }

    /// Returns the H4 type byte of a record; nil for records that are no packets.
    static func packetType(_ link: DataLink, flags: UInt32) -> [UInt8]? {
        switch link {
        case .h4: []
        case .bare: flags & 2 == 0 ? [2] : flags & 1 == 0 ? [1] : [4]
        case .monitor:
            switch flags & 0xFFFF {
            case 2: [1]
            case 3: [4]
            case 4, 5: [2]
            case 6, 7: [3]
            case 18, 19: [5]
            default: nil
            }
        }
    }
}
