/// The properties that all receptions of one packet share.
public struct RepeatKey: Hashable, Sendable {
    /// The device that sent the packet.
    public var device: DeviceID
    /// How the device's protocol numbers packets.
    public var rule: RepeatRule
    /// The number of the packet; nil if it has none.
    public var counter: UInt64?
    /// The payload of the packet.
    public var payload: [UInt8]

    /// Creates a key.
    public init(device: DeviceID, rule: RepeatRule, counter: UInt64?, payload: [UInt8]) {
        self.device = device
        self.rule = rule
        self.counter = counter
        self.payload = payload
    }

    /// The payload's FNV-1a hash (64 bits), with both halves XORed: equal on every machine.
    var digest: UInt32 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in payload { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }

    /// The applicable rule: without a counter, rules that need one fall back to the payload.
    var effectiveRule: RepeatRule {
        counter == nil && rule != .zigbee ? .payload : rule
    }

    /// The counter, if it is long enough to identify a packet of the device for hours.
    public var longCounter: UInt64? { rule.isLong ? counter : nil }
}
