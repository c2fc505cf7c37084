public import Vocabulary

/// Which IEEE address stands behind a short one, as heard last.
public struct AddressBook: Hashable, Sendable {
    private var ieeeByShort: [UInt16: UInt64] = [:]

    public init() {}

    /// Remembers a pair; a device that joined again loses its old short address.
    public mutating func learn(short: UInt16, ieee: UInt64) {
        // Broadcast addresses name nobody, and an IEEE address of all zeros or ones is none.
        guard short < 0xFFF8, ieee != 0, ieee != .max, ieeeByShort[short] != ieee else { return }
        if let old = ieeeByShort.first(where: { $0.value == ieee })?.key { ieeeByShort[old] = nil }
        guard ieeeByShort.count < RadioLimits.addresses || ieeeByShort[short] != nil else { return }
        ieeeByShort[short] = ieee
    }

    public func ieee(of short: UInt16) -> UInt64? { ieeeByShort[short] }

    /// The device behind a short address; a name that does not last where the IEEE address is unknown.
    public func device(short: UInt16) -> DeviceID {
        ieeeByShort[short].map(DeviceID.zigbee) ?? .zigbee(short: short)
    }
}
