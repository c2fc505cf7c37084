public import Vocabulary

extension DeviceID {
    /// Returns the id of a Bluetooth device by its 48-bit address, the first printed byte highest: `ble:c50dfa99cb9e`.
    public static func bluetooth(_ address: UInt64) -> DeviceID { named("ble:", address, digits: 12) }

    /// Returns the id of a ZigBee device by its 64-bit IEEE address, the first printed byte highest:
    /// `zb:00124b001e17efa8`.
    public static func zigbee(_ ieee: UInt64) -> DeviceID { named("zb:", ieee, digits: 16) }

    /// Returns the id of a ZigBee device whose IEEE address is not known yet, by its short address: `zb:1a2b`.
    ///
    /// A short address changes when the device joins again, so no state is to be stored under such an id.
    public static func zigbee(short: UInt16) -> DeviceID { named("zb:", UInt64(short), digits: 4) }

    /// The id of a Bluetooth device whose address the receiver does not know.
    public static var unknownBluetooth: DeviceID { DeviceID("ble:") }

    /// The id of a ZigBee device of which not even the short address is known.
    public static var unknownZigBee: DeviceID { DeviceID("zb:") }

    /// Whether the id contains a full address and so identifies the device permanently.
    public var isLasting: Bool { rawValue.utf8.count == 16 || rawValue.utf8.count == 19 }

    private static func named(_ prefix: String, _ number: UInt64, digits: Int) -> DeviceID {
        var text: [UInt8] = []
        text.reserveCapacity(20)
        text.append(contentsOf: prefix.utf8)
        for shift in stride(from: 4 * (digits - 1), through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
        return DeviceID(String(decoding: text, as: UTF8.self))
    }
}
