/// The settings of a network that is formed.
public struct NetworkSettings: Hashable, Sendable {
    public var channel: UInt8
    public var panID: UInt16
    public var extendedPANID: UInt64
    /// The network key, 16 bytes. It is known to the coordinator and the devices only.
    public var key: [UInt8]

    /// One that overlaps little with the usual channels of WLAN (1, 6 and 11), as 11, 15 and 25 do.
    public static let usualChannel: UInt8 = 20
    public static let randomBytes = 26

    /// Creates settings with random numbers and a random key.
    ///
    /// - Parameter random: `randomBytes` bytes that are not derived from anything.
    public init(channel: UInt8, random: [UInt8]) {
        precondition(random.count == Self.randomBytes, "a network needs \(Self.randomBytes) random bytes")
        self.channel = channel
        key = Array(random[..<16])
        // 0x0000, 0xFFFE and 0xFFFF are reserved.
        panID = (UInt16(random[16]) | UInt16(random[17]) << 8) % 0xFFFD + 1
        // An extended number of zeros or ones is reserved, too.
        extendedPANID = random[18...].reduce(0) { $0 << 8 | UInt64($1) } & ~2 | 1
    }
}
