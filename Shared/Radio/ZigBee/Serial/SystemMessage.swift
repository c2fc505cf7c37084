/// The messages between coordinator and host about the coordinator itself (MT_SYS).
public enum SystemMessage: Hashable, Sendable {
    case ping
    /// The subsystems of the firmware, one bit each.
    case pong(capabilities: UInt16)
    case askVersion
    case version(Firmware)
    /// 0 hard, 1 soft.
    case reset(kind: UInt8)
    /// The coordinator has just started; reason: 0 power, 1 external, 2 watchdog.
    case didReset(reason: UInt8, Firmware)

    /// The firmware of a coordinator.
    public struct Firmware: Hashable, Sendable {
        public var transport: UInt8
        /// 0 is Z-Stack 1.2, 2 is Z-Stack 3.0, 1 is Z-Stack 3.x.0.
        public var product: UInt8
        public var major: UInt8
        public var minor: UInt8
        public var maintenance: UInt8
        /// Only in the response to `askVersion`: the build's date as a number, such as 20220219.
        public var revision: UInt32?
        /// Undocumented bytes of newer firmware behind the revision.
        public var more: [UInt8]

        public init(
            transport: UInt8, product: UInt8, major: UInt8, minor: UInt8, maintenance: UInt8, revision: UInt32? = nil,
            more: [UInt8] = []
        ) {
            self.transport = transport
            self.product = product
            self.major = major
            self.minor = minor
            self.maintenance = maintenance
            self.revision = revision
            self.more = more
        }
    }

    /// Returns nil if the frame is another system message.
    init?(_ frame: UNPIFrame) throws(Malformed) {
        var reader = ByteReader(frame.data)
        switch frame.code {
        case 0x2101: self = .ping
        case 0x6101: self = .pong(capabilities: try reader.u16())
        case 0x2102: self = .askVersion
        case 0x6102: self = .version(try Firmware(&reader, hasRevision: true))
        case 0x4100: self = .reset(kind: try reader.u8())
        case 0x4180:
            let reason = try reader.u8()
            self = .didReset(reason: reason, try Firmware(&reader, hasRevision: false))
        default: return nil
        }
    }

    var frame: UNPIFrame {
        var data = ByteWriter()
        switch self {
        case .ping: return UNPIFrame(0x2101)
        case .pong(let capabilities):
            data.u16(capabilities)
            return UNPIFrame(0x6101, data.bytes)
        case .askVersion: return UNPIFrame(0x2102)
        case .version(let firmware): return UNPIFrame(0x6102, firmware.bytes)
        case .reset(let kind): return UNPIFrame(0x4100, [kind])
        case .didReset(let reason, let firmware): return UNPIFrame(0x4180, [reason] + firmware.bytes)
        }
    }
}

extension SystemMessage.Firmware {
    fileprivate init(_ reader: inout ByteReader, hasRevision: Bool) throws(Malformed) {
        self.init(
            transport: try reader.u8(), product: try reader.u8(), major: try reader.u8(), minor: try reader.u8(),
            maintenance: try reader.u8())
        if hasRevision, reader.remaining >= 4 { revision = try reader.u32() }
        more = reader.rest
    }

    fileprivate var bytes: [UInt8] {
        var data = ByteWriter()
        data.append([transport, product, major, minor, maintenance])
        if let revision { data.u32(revision) }
        data.append(more)
        return data.bytes
    }
}
