/// The messages between coordinator and host about the network and its devices (MT_ZDO, MT_UTIL, MT_APP_CNF).
public enum DeviceObjectMessage: Hashable, Sendable {
    /// Starts the network after a delay in milliseconds.
    case start(delay: UInt16)
    /// 0 restored a network, 1 formed a new one, 2 did not start.
    case started(status: UInt8)
    /// 9 is "started as coordinator".
    case stateChanged(UInt8)
    /// Z-Stack 3: 4 forms a network.
    case commission(mode: UInt8)
    case commissioned(status: UInt8)
    /// How the commissioning proceeds: status 0 done, 1 under way, 8 not formed, 13 a network was restored.
    case commissionProgress(status: UInt8, mode: UInt8, remaining: UInt8)
    /// Z-Stack 3: sets the channels of the network, one bit each; the secondary ones are used if the primary ones fail.
    case setChannels(isPrimary: Bool, mask: UInt32)
    case channelsSet(status: UInt8)
    case askDeviceInfo
    case deviceInfo(DeviceInfo)
    case askActiveEndpoints(destination: UInt16, of: UInt16)
    case activeEndpointsAsked(status: UInt8)
    case activeEndpoints(source: UInt16, status: UInt8, of: UInt16, endpoints: [UInt8])
    /// Subscribes to all messages of one cluster; 0xFFFF is every cluster.
    case subscribe(cluster: UInt16)
    case subscribed(status: UInt8)
    case permitJoin(mode: UInt8, destination: UInt16, seconds: UInt8, significance: UInt8)
    case permitJoinAsked(status: UInt8)
    case permitJoinAnswered(source: UInt16, status: UInt8)
    case askIEEE(of: UInt16, kind: UInt8, startIndex: UInt8)
    case ieeeAsked(status: UInt8)
    case ieee(status: UInt8, ieee: UInt64, short: UInt16, more: [UInt8])
    /// A device's announcement after it joined; capabilities: bit 1 router, bit 2 mains, bit 3 always receiving.
    case announced(source: UInt16, short: UInt16, ieee: UInt64, capabilities: UInt8)
    /// The first message about a device that joins.
    case joining(short: UInt16, ieee: UInt64, parent: UInt16)
    case left(short: UInt16, ieee: UInt64, request: UInt8, remove: UInt8, rejoins: Bool)
    /// A device's route record to the concentrator, with its addresses.
    case concentrated(short: UInt16, ieee: UInt64, cost: UInt8)
    /// Any message of ZigBee's device object, after a subscription.
    case overheard(ObjectMessage)

    /// A message of the ZigBee device object as devices send it, without its transaction number.
    public struct ObjectMessage: Hashable, Sendable {
        public var source: UInt16
        public var wasBroadcast: Bool
        public var cluster: UInt16
        public var security: UInt8
        public var transaction: UInt8
        public var destination: UInt16
        public var data: [UInt8]

        public init(
            source: UInt16, wasBroadcast: Bool, cluster: UInt16, security: UInt8, transaction: UInt8,
            destination: UInt16, data: [UInt8]
        ) {
            self.source = source
            self.wasBroadcast = wasBroadcast
            self.cluster = cluster
            self.security = security
            self.transaction = transaction
            self.destination = destination
            self.data = data
        }
    }

    /// The coordinator's addresses and the state of its network.
    public struct DeviceInfo: Hashable, Sendable {
        public var status: UInt8
        public var ieee: UInt64
        public var short: UInt16
        /// The kinds of device it can be, one bit each: 1 coordinator, 2 router, 4 end device.
        public var kinds: UInt8
        /// 9 is "started as coordinator".
        public var state: UInt8
        public var children: [UInt16]

        public init(status: UInt8, ieee: UInt64, short: UInt16, kinds: UInt8, state: UInt8, children: [UInt16]) {
            self.status = status
            self.ieee = ieee
            self.short = short
            self.kinds = kinds
            self.state = state
            self.children = children
        }
    }

    /// The short and the IEEE address of a device; nil if the message does not contain both.
    public var addresses: (short: UInt16, ieee: UInt64)? {
        switch self {
        case .deviceInfo(let info): (info.short, info.ieee)
        case .ieee(0, let ieee, let short, _): (short, ieee)
        case .announced(_, let short, let ieee, _): (short, ieee)
        case .joining(let short, let ieee, _): (short, ieee)
        case .concentrated(let short, let ieee, _): (short, ieee)
        case .overheard(let message): DeviceObject.addresses(cluster: message.cluster, data: message.data)
        default: nil
        }
    }

    /// Returns nil if the frame is another message about the network.
    init?(_ frame: UNPIFrame) throws(Malformed) {
        var reader = ByteReader(frame.data)
        if let message = try Self.atStart(frame.code, &reader) { self = message; return }
        switch frame.code {
        case 0x2536:
            self = .permitJoin(
                mode: try reader.u8(), destination: try reader.u16(), seconds: try reader.u8(),
                significance: try reader.u8())
        case 0x6536: self = .permitJoinAsked(status: try reader.u8())
        case 0x45B6: self = .permitJoinAnswered(source: try reader.u16(), status: try reader.u8())
        case 0x2501:
            self = .askIEEE(of: try reader.u16(), kind: try reader.u8(), startIndex: try reader.u8())
        case 0x6501: self = .ieeeAsked(status: try reader.u8())
        case 0x4581:
            self = .ieee(
                status: try reader.u8(), ieee: try reader.u64(), short: try reader.u16(), more: reader.rest)
        case 0x45C1:
            self = .announced(
                source: try reader.u16(), short: try reader.u16(), ieee: try reader.u64(),
                capabilities: try reader.u8())
        case 0x45CA:
            self = .joining(short: try reader.u16(), ieee: try reader.u64(), parent: try reader.u16())
        case 0x45C9:
            self = .left(
                short: try reader.u16(), ieee: try reader.u64(), request: try reader.u8(), remove: try reader.u8(),
                rejoins: try reader.u8() != 0)
        case 0x45C8:
            self = .concentrated(short: try reader.u16(), ieee: try reader.u64(), cost: try reader.u8())
        case 0x45FF:
            self = .overheard(
                ObjectMessage(
                    source: try reader.u16(), wasBroadcast: try reader.u8() != 0, cluster: try reader.u16(),
                    security: try reader.u8(), transaction: try reader.u8(), destination: try reader.u16(),
                    data: reader.rest))
        default: return nil
        }
    }

    private static func atStart(_ code: UInt16, _ reader: inout ByteReader) throws(Malformed) -> Self? {
        switch code {
        case 0x2540: .start(delay: try reader.u16())
        case 0x6540: .started(status: try reader.u8())
        case 0x45C0: .stateChanged(try reader.u8())
        case 0x2F05: .commission(mode: try reader.u8())
        case 0x6F05: .commissioned(status: try reader.u8())
        case 0x4F80:
            .commissionProgress(status: try reader.u8(), mode: try reader.u8(), remaining: try reader.u8())
        case 0x2F08: .setChannels(isPrimary: try reader.u8() != 0, mask: try reader.u32())
        case 0x6F08: .channelsSet(status: try reader.u8())
        case 0x2700: .askDeviceInfo
        case 0x6700:
            .deviceInfo(
                DeviceInfo(
                    status: try reader.u8(), ieee: try reader.u64(), short: try reader.u16(), kinds: try reader.u8(),
                    state: try reader.u8(), children: try reader.list()))
        case 0x2505: .askActiveEndpoints(destination: try reader.u16(), of: try reader.u16())
        case 0x6505: .activeEndpointsAsked(status: try reader.u8())
        case 0x4585:
            .activeEndpoints(
                source: try reader.u16(), status: try reader.u8(), of: try reader.u16(),
                endpoints: try reader.take(Int(try reader.u8())))
        case 0x253E: .subscribe(cluster: try reader.u16())
        case 0x653E: .subscribed(status: try reader.u8())
        default: nil
        }
    }
}
