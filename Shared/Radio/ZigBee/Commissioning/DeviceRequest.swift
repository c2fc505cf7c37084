/// A request to the device object of a ZigBee device (ZigBee specification, sections 2.4.3 and 2.4.4).
public enum DeviceRequest: Hashable, Sendable {
    case nodeDescriptor
    case activeEndpoints
    case simpleDescriptor(endpoint: UInt8)
    /// Makes the device send the cluster's reports to an endpoint of the coordinator.
    case bind(endpoint: UInt8, cluster: UInt16, to: UInt64, at: UInt8)
    case leave

    public var cluster: UInt16 {
        switch self {
        case .nodeDescriptor: 0x0002
        case .simpleDescriptor: 0x0004
        case .activeEndpoints: 0x0005
        case .bind: 0x0021
        case .leave: 0x0034
        }
    }

    /// Returns the message to the device.
    public func message(to short: UInt16, _ ieee: UInt64, transaction: UInt8) -> FrameworkMessage.OutgoingMessage {
        var data = ByteWriter()
        data.u8(transaction)
        switch self {
        case .nodeDescriptor, .activeEndpoints: data.u16(short)
        case .simpleDescriptor(let endpoint):
            data.u16(short)
            data.u8(endpoint)
        case .bind(let endpoint, let cluster, let coordinator, let target):
            data.u64(ieee)
            data.u8(endpoint)
            data.u16(cluster)
            data.u8(3)
            data.u64(coordinator)
            data.u8(target)
        case .leave:
            data.u64(ieee)
            data.u8(0)
        }
        return FrameworkMessage.OutgoingMessage(
            destination: short, destinationEndpoint: DeviceObject.endpoint, sourceEndpoint: DeviceObject.endpoint,
            cluster: cluster, transaction: transaction, data: data.bytes)
    }
}

/// The response of a device object.
public enum DeviceResponse: Hashable, Sendable {
    case nodeDescriptor(isRouter: Bool, manufacturer: UInt16)
    case activeEndpoints([UInt8])
    case simpleDescriptor(endpoint: UInt8, profile: UInt16, inputs: [UInt16])
    case bound
    case leaving
    /// The device refuses; 0x84 is "not supported", 0x8C "table full".
    case refused(status: UInt8)

    /// Returns nil if the message is no response to a request that is used here.
    ///
    /// - Parameter data: The message without its transaction number.
    public init?(cluster: UInt16, data: [UInt8]) throws(Malformed) {
        guard [0x8002, 0x8004, 0x8005, 0x8021, 0x8034].contains(cluster) else { return nil }
        var reader = ByteReader(data)
        let status = try reader.u8()
        guard status == 0 else {
            self = .refused(status: status)
            return
        }
        switch cluster {
        case 0x8002:
            try reader.skip(2)
            let kind = try reader.u8() & 7
            try reader.skip(2)
            self = .nodeDescriptor(isRouter: kind < 2, manufacturer: try reader.u16())
        case 0x8004:
            try reader.skip(3)
            let endpoint = try reader.u8()
            let profile = try reader.u16()
            try reader.skip(3)
            self = .simpleDescriptor(endpoint: endpoint, profile: profile, inputs: try reader.list())
        case 0x8005:
            try reader.skip(2)
            self = .activeEndpoints(try reader.take(Int(try reader.u8())))
        case 0x8021: self = .bound
        default: self = .leaving
        }
    }
}
