import Vocabulary

/// Turns the messages of a coordinator, in order, into reports, and remembers who is behind which short address.
public struct ZNPDecoder: Sendable {
    public var devices: ZigBeeDecoder
    public var addresses = AddressBook()
    /// Which profile is spoken at which endpoint of the coordinator: its messages do not say.
    public var profiles: [UInt8: UInt16]

    /// Endpoint 1 speaks Home Automation, 240 the profile of our own nodes.
    public static let usualProfiles: [UInt8: UInt16] = [1: 0x0104, 240: Layout.furrowNode.profile]

    public init(devices: ZigBeeDecoder = ZigBeeDecoder(), profiles: [UInt8: UInt16] = Self.usualProfiles) {
        self.devices = devices
        self.profiles = profiles
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

    /// The same message without the coordinator's wrapping.
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
