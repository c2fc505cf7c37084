/// What two copies of one packet have in common, and whose it is.
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

    /// 64 bits that are the same for the same packet, in every run and on every machine.
    ///
    /// Where only the counter decides it is the counter itself. Else FNV-1a (64 bits), stirred once more (the last
    /// step of MurmurHash3), over counter and payload.
    var mark: UInt64 {
        switch (rule, counter) {
        case (.packetID, let counter?): return counter & 0xFF
        case (.rising, let counter?): return counter
        default: break
        }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var number = counter ?? .max
        for _ in 0..<8 {
            hash = (hash ^ (number & 0xFF)) &* 0x100_0000_01B3
            number >>= 8
        }
        for byte in payload { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        return hash ^ (hash >> 33)
    }

    /// The rule that can be applied: without a counter, those that need one fall back to the payload.
    var effectiveRule: RepeatRule {
        counter == nil && rule != .zigbee ? .payload : rule
    }
}
