/// How a protocol numbers its packets, which determines how copies of a packet are recognised.
public enum RepeatRule: UInt8, CaseIterable, Sendable {
    /// A sequence number of 16 bits or more that grows with every measurement (Ruuvi).
    case sequence = 1
    /// A packet id of 8 bits (BTHome).
    case packetID = 2
    /// A counter of 32 bits that only grows (encrypted packets).
    case rising = 3
    /// A transaction number of 8 bits that routers and retries repeat (ZigBee).
    case zigbee = 4
    /// Packets without a number.
    case payload = 5

    /// Whether a number repeats only after 65,536 packets, or after the device has restarted.
    var isLong: Bool { self == .sequence || self == .rising }

    /// How long one receiver gets copies of a packet, in microseconds, if the number does not identify it.
    var rebroadcast: Int64 {
        switch self {
        case .sequence, .rising, .zigbee: 10_000_000
        case .packetID: 4_000_000
        case .payload: 2_000_000
        }
    }
}
