/// The messages by which the host reads and writes the tables of a Z-Stack 3.x.0 coordinator (MT_SYS, `NV` commands).
///
/// An entry is named by its table and its number; all tables are those of the stack (system 1).
public enum TableMessage: Hashable, Sendable {
    /// The length of an entry; 0 if there is none.
    case askLength(table: UInt16, entry: UInt16)
    case length(UInt32)
    case read(table: UInt16, entry: UInt16, length: UInt8)
    case value(status: UInt8, bytes: [UInt8])
    case create(table: UInt16, entry: UInt16, length: UInt32)
    case created(status: UInt8)
    case write(table: UInt16, entry: UInt16, value: [UInt8])
    case written(status: UInt8)

    private static let system: UInt8 = 1

    /// Returns nil if the frame is about something else.
    init?(_ frame: UNPIFrame) throws(Malformed) {
        var reader = ByteReader(frame.data)
        switch frame.code {
        case 0x6132: self = .length(try reader.u32())
        case 0x6133: self = .value(status: try reader.u8(), bytes: try reader.take(Int(try reader.u8())))
        case 0x6130: self = .created(status: try reader.u8())
        case 0x6134: self = .written(status: try reader.u8())
        case 0x2130, 0x2132, 0x2133, 0x2134:
            try reader.skip(1)
            let (table, entry) = (try reader.u16(), try reader.u16())
            switch frame.command {
            case 0x30: self = .create(table: table, entry: entry, length: try reader.u32())
            case 0x32: self = .askLength(table: table, entry: entry)
            case 0x33:
                try reader.skip(2)
                self = .read(table: table, entry: entry, length: try reader.u8())
            default:
                try reader.skip(2)
                self = .write(table: table, entry: entry, value: try reader.take(Int(try reader.u8())))
            }
        default: return nil
        }
    }

    var frame: UNPIFrame {
        var data = ByteWriter()
        func place(_ table: UInt16, _ entry: UInt16) {
            data.u8(Self.system)
            data.u16(table)
            data.u16(entry)
        }
        switch self {
        case .askLength(let table, let entry):
            place(table, entry)
            return UNPIFrame(0x2132, data.bytes)
        case .length(let length):
            data.u32(length)
            return UNPIFrame(0x6132, data.bytes)
        case .read(let table, let entry, let length):
            place(table, entry)
            data.u16(0)
            data.u8(length)
            return UNPIFrame(0x2133, data.bytes)
        case .value(let status, let bytes):
            return UNPIFrame(0x6133, [status, UInt8(clamping: bytes.count)] + bytes.prefix(240))
        case .create(let table, let entry, let length):
            place(table, entry)
            data.u32(length)
            return UNPIFrame(0x2130, data.bytes)
        case .created(let status): return UNPIFrame(0x6130, [status])
        case .write(let table, let entry, let value):
            place(table, entry)
            data.u16(0)
            data.u8(UInt8(clamping: value.count))
            data.append(Array(value.prefix(240)))
            return UNPIFrame(0x2134, data.bytes)
        case .written(let status): return UNPIFrame(0x6134, [status])
        }
    }
}
