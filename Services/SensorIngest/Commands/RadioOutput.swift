import EventSourcing
import Events
import Radio
import Vocabulary

/// What a radio's bytes, or the time, have produced.
struct RadioOutput {
    var inputs: [RadioInput] = []
    /// The messages to send to the radio.
    var orders: [ZNPMessage] = []
    var changes: [NetworkChange] = []
    /// Whether the connection is to be opened again, because nothing comes through it.
    var isLost = false
}

/// A change of a ZigBee network or of its devices.
enum NetworkChange: Equatable {
    /// A new network was formed.
    case formed(NetworkRecord)
    case joined(ieee: UInt64, short: UInt16)
    case interviewed(ieee: UInt64, InterviewedDevice)
    case left(ieee: UInt64)

    /// Returns the event of the change.
    ///
    /// - Parameter source: The coordinator.
    func draft(of source: String) -> Draft {
        let actor = Actor.service(SensorIngest.name)
        switch self {
        case .formed(let network):
            let event = NetworkFormed(
                source: source, channel: Int(network.channel), panId: network.shortName,
                extendedPanId: network.longName)
            return Draft(event, in: "network/\(source)", by: actor)
        case .joined(let ieee, let short):
            let event = DeviceJoined(device: .zigbee(ieee), source: source, short: Int(short))
            return Draft(event, in: "device/\(event.device)", by: actor)
        case .interviewed(let ieee, let found):
            let event = DeviceInterviewed(
                device: .zigbee(ieee), source: source, isRouter: found.isRouter,
                manufacturer: Int(found.manufacturer), reporting: found.reporting, unfulfilled: found.unfulfilled)
            return Draft(event, in: "device/\(event.device)", by: actor)
        case .left(let ieee):
            let event = DeviceLeft(device: .zigbee(ieee), source: source)
            return Draft(event, in: "device/\(event.device)", by: actor)
        }
    }
}

extension NetworkRecord {
    /// The network's numbers in hexadecimal, as people compare them.
    var shortName: String { Hex.encode([UInt8(panID >> 8), UInt8(panID & 0xFF)]) }
    var longName: String { Hex.encode((0..<8).reversed().map { UInt8(truncatingIfNeeded: extendedPANID >> ($0 * 8)) }) }
}
