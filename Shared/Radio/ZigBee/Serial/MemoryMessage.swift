/// The messages by which the host reads and writes the coordinator's non-volatile memory (MT_SYS, MT_SAPI).
public enum MemoryMessage: Hashable, Sendable {
    case read(item: UInt16, offset: UInt8)
    /// Status 0 is success, 2 an item that does not exist or may not be read.
    case value(status: UInt8, bytes: [UInt8])
    case create(item: UInt16, length: UInt16, value: [UInt8])
    /// Status 0: the item exists; 9: it did not, and was created.
    case created(status: UInt8)
    case write(item: UInt16, offset: UInt8, value: [UInt8])
    case written(status: UInt8)
    case delete(item: UInt16, length: UInt16)
    case deleted(status: UInt8)
    /// The length of an item; 0 if it does not exist.
    case askLength(item: UInt16)
    case length(UInt16)
    /// The same as `read` and `write` for items of more than 255 bytes.
    case readPart(item: UInt16, offset: UInt16)
    case part(status: UInt8, bytes: [UInt8])
    case writePart(item: UInt16, offset: UInt16, value: [UInt8])
    case partWritten(status: UInt8)
    /// Reads an item below 256 that `read` refuses because it is secret (Z-Stack 1.2).
    case readSetting(item: UInt8)
    case setting(status: UInt8, item: UInt8, bytes: [UInt8])

    /// Returns nil if the frame is not about the memory.
    init?(_ frame: UNPIFrame) throws(Malformed) {
        var reader = ByteReader(frame.data)
        switch frame.code {
        case 0x2108: self = .read(item: try reader.u16(), offset: try reader.u8())
        case 0x6108: self = .value(status: try reader.u8(), bytes: try reader.take(Int(try reader.u8())))
        case 0x2107:
            self = .create(
                item: try reader.u16(), length: try reader.u16(), value: try reader.take(Int(try reader.u8())))
        case 0x6107: self = .created(status: try reader.u8())
        case 0x2109:
            self = .write(item: try reader.u16(), offset: try reader.u8(), value: try reader.take(Int(try reader.u8())))
        case 0x6109: self = .written(status: try reader.u8())
        case 0x2112: self = .delete(item: try reader.u16(), length: try reader.u16())
        case 0x6112: self = .deleted(status: try reader.u8())
        case 0x2113: self = .askLength(item: try reader.u16())
        case 0x6113: self = .length(try reader.u16())
        case 0x211C: self = .readPart(item: try reader.u16(), offset: try reader.u16())
        case 0x611C: self = .part(status: try reader.u8(), bytes: try reader.take(Int(try reader.u8())))
        case 0x211D:
            self = .writePart(
                item: try reader.u16(), offset: try reader.u16(), value: try reader.take(Int(try reader.u16())))
        case 0x611D: self = .partWritten(status: try reader.u8())
        case 0x2604: self = .readSetting(item: try reader.u8())
        case 0x6604:
            self = .setting(
                status: try reader.u8(), item: try reader.u8(), bytes: try reader.take(Int(try reader.u8())))
        default: return nil
        }
    }

    var frame: UNPIFrame {
        var data = ByteWriter()
        switch self {
        case .read(let item, let offset):
            data.u16(item)
            data.u8(offset)
            return UNPIFrame(0x2108, data.bytes)
        case .value(let status, let bytes): return UNPIFrame(0x6108, [status] + Self.counted(bytes))
        case .create(let item, let length, let value):
            data.u16(item)
            data.u16(length)
            return UNPIFrame(0x2107, data.bytes + Self.counted(value))
        case .created(let status): return UNPIFrame(0x6107, [status])
        case .write(let item, let offset, let value):
            data.u16(item)
            data.u8(offset)
            return UNPIFrame(0x2109, data.bytes + Self.counted(value))
        case .written(let status): return UNPIFrame(0x6109, [status])
        case .delete(let item, let length):
            data.u16(item)
            data.u16(length)
            return UNPIFrame(0x2112, data.bytes)
        case .deleted(let status): return UNPIFrame(0x6112, [status])
        case .askLength(let item):
            data.u16(item)
            return UNPIFrame(0x2113, data.bytes)
        case .length(let length):
            data.u16(length)
            return UNPIFrame(0x6113, data.bytes)
        case .readPart(let item, let offset):
            data.u16(item)
            data.u16(offset)
            return UNPIFrame(0x211C, data.bytes)
        case .part(let status, let bytes): return UNPIFrame(0x611C, [status] + Self.counted(bytes))
        case .writePart(let item, let offset, let value):
            data.u16(item)
            data.u16(offset)
            data.u16(UInt16(clamping: value.count))
            return UNPIFrame(0x211D, data.bytes + value)
        case .partWritten(let status): return UNPIFrame(0x611D, [status])
        case .readSetting(let item): return UNPIFrame(0x2604, [item])
        case .setting(let status, let item, let bytes): return UNPIFrame(0x6604, [status, item] + Self.counted(bytes))
        }
    }

    private static func counted(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(clamping: bytes.count)] + bytes.prefix(partBytes)
    }

    /// The most bytes of an item in one message.
    private static let partBytes = 248
}
