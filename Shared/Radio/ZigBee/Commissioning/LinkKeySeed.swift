/// The seed from which Z-Stack 3 derives the link key of each device: the seed is rotated, and its bytes are combined
/// with the device's address by exclusive or.
struct LinkKeySeed: Hashable, Sendable {
    let bytes: [UInt8]

    /// Returns the link key of a device.
    func key(of ieee: UInt64, shift: Int) -> [UInt8] {
        zip(bytes[shift...] + bytes[..<shift], Self.address(ieee)).map { $0 ^ $1 }
    }

    /// Returns the rotation that gives this key; nil if it is not derived from this seed.
    func shift(of key: [UInt8], of ieee: UInt64) -> Int? {
        (0..<16).first { self.key(of: ieee, shift: $0) == key }
    }

    /// Returns the seed from which most of the keys are derived.
    static func best(of keys: [(ieee: UInt64, key: [UInt8])]) -> LinkKeySeed? {
        let candidates = keys.map { LinkKeySeed(bytes: zip($0.key, address($0.ieee)).map { $0 ^ $1 }) }
        return candidates.map { seed in (seed, keys.count { seed.shift(of: $0.key, of: $0.ieee) != nil }) }
            .max { $0.1 < $1.1 }?.0
    }

    /// The address twice, its lowest byte first.
    private static func address(_ ieee: UInt64) -> [UInt8] {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: ieee >> ($0 * 8)) }
        return bytes + bytes
    }
}
