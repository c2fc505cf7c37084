/// How a protocol's repeats are told from news, and for how long.
public enum RepeatRule: UInt8, CaseIterable, Sendable {
    /// A sequence number that grows with every measurement (Ruuvi): the same number and payload within an hour.
    case sequence = 1
    /// A packet id of 8 bits (BTHome): the same id, or one that lies 64 or more ahead, is old for 4 s after the last.
    case packetID = 2
    /// A counter that only grows (encrypted packets): the same or a smaller one is old, unless the device began anew
    /// (below 100) or was silent for an hour.
    case rising = 3
    /// A transaction number that routers and retries repeat (ZigBee): the same number and payload within 10 s.
    case zigbee = 4
    /// Nothing numbers the packets: the same payload within 2 s.
    case payload = 5

    /// How long what was heard counts, in milliseconds.
    public var windowMilliseconds: Int64 {
        switch self {
        case .sequence, .rising: 3_600_000
        case .packetID: 4_000
        case .zigbee: 10_000
        case .payload: 2_000
        }
    }

    /// The longest of these, in seconds: what lies further apart is told without each other.
    public static let longestSeconds = 3600.0
}
