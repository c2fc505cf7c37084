import Vocabulary

/// The decoder of a coordinator's messages, in order, into reports. It stores the devices of short addresses.
public struct ZNPDecoder: Sendable {
    public var devices: ZigBeeDecoder
    public var addresses = AddressBook()
    /// The profile of each endpoint of the coordinator, which its messages do not contain.
    public var profiles: [UInt8: UInt16]

    /// Endpoint 1 is Home Automation, 240 the profile of the farm's own nodes.
    public static let usualProfiles: [UInt8: UInt16] = [1: 0x0104, 240: Layout.furrowNode.profile]

    /// - Parameter layouts: those of the farm's own nodes, besides the known ones.
    public init(layouts: [Layout] = []) {
        devices = ZigBeeDecoder(layouts: Layout.known + layouts)
        profiles = Self.usualProfiles
        for layout in layouts { profiles[layout.endpoint] = layout.profile }
    }

    public mutating func decode(_ frame: UNPIFrame) -> DecodedInput {
        do throws(Malformed) {
            return decode(try ZNPMessage(frame))
        } catch {
            return DecodedInput(problem: error)
        }
    }

    public mutating func decode(_ message: ZNPMessage) -> DecodedInput {
        switch message {
        case .deviceObject(let message):
            if let pair = message.addresses { addresses.learn(short: pair.short, ieee: pair.ieee) }
            return DecodedInput()
        case .framework(.register(let endpoint)):
            profiles[endpoint.endpoint] = endpoint.profile
            return DecodedInput()
        case .framework(.incoming(let message)):
            guard !message.isIncomplete else {
                return DecodedInput(problem: Malformed("a part of the message is still in the coordinator", at: 0))
            }
            return devices.decodeAndLearn(zigbee(message))
        default: return DecodedInput()
        }
    }

    /// Returns the message without the coordinator's framing.
    public func zigbee(_ message: IncomingMessage) -> ZigBeeMessage {
        let device: DeviceID =
            switch message.source {
            case .short(let short): addresses.device(short: short)
            case .ieee(let ieee): .zigbee(ieee)
            }
        return ZigBeeMessage(
            device: device, profile: profiles[message.destinationEndpoint], cluster: message.cluster,
            endpoint: message.sourceEndpoint, counter: message.sequence, lqi: Int(message.lqi), payload: message.data)
    }
}
