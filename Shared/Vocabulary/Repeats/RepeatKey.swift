/// What two receptions of one packet have in common, and whose packet it is.
public struct RepeatKey: Hashable, Sendable {
    public var device: DeviceID
    public var rule: RepeatRule
    public var counter: UInt64?
    public var payload: [UInt8]

    public init(device: DeviceID, rule: RepeatRule, counter: UInt64?, payload: [UInt8]) {
        self.device = device
        self.rule = rule
        self.counter = counter
        self.payload = payload
    }

    /// The same 32 bits for the same payload, in every run and on every machine: FNV-1a (64 bits), both halves joined.
    var digest: UInt32 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in payload { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }

    /// The rule that can be applied: without a counter, those that need one fall back to the payload.
    var effectiveRule: RepeatRule {
        counter == nil && rule != .zigbee ? .payload : rule
    }

    /// The counter, if it is long enough to name a packet of the device for hours.
    public var longCounter: UInt64? { rule.isLong ? counter : nil }
}
