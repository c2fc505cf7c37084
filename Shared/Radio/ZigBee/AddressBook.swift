public import Vocabulary

/// The IEEE address of each short address, as last received.
public struct AddressBook: Hashable, Sendable {
    private var ieeeByShort: [UInt16: UInt64] = [:]

    public init() {}

    /// Stores a pair. A device that joined again loses its old short address.
    public mutating func learn(short: UInt16, ieee: UInt64) {
        // Broadcast addresses identify no device, and an IEEE address of all zeros or ones is invalid.
        guard short < 0xFFF8, ieee != 0, ieee != .max, ieeeByShort[short] != ieee else { return }
        if let old = ieeeByShort.first(where: { $0.value == ieee })?.key { ieeeByShort[old] = nil }
        guard ieeeByShort.count < RadioLimits.addresses || ieeeByShort[short] != nil else { return }
        ieeeByShort[short] = ieee
    }

    public func ieee(of short: UInt16) -> UInt64? { ieeeByShort[short] }

    public func short(of ieee: UInt64) -> UInt16? { ieeeByShort.first { $0.value == ieee }?.key }

    /// Returns the device of a short address; a temporary id if the IEEE address is unknown.
    public func device(short: UInt16) -> DeviceID {
        ieeeByShort[short].map(DeviceID.zigbee) ?? .zigbee(short: short)
    }
}
