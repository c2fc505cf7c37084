public import Vocabulary

extension DeviceID {
    /// A Bluetooth device by its 48-bit address, the first printed byte highest: `ble:c50dfa99cb9e`.
    public static func bluetooth(_ address: UInt64) -> DeviceID { named("ble:", address, digits: 12) }

    /// A ZigBee device by its 64-bit IEEE address, the first printed byte highest: `zb:00124b001e17efa8`.
    public static func zigbee(_ ieee: UInt64) -> DeviceID { named("zb:", ieee, digits: 16) }

    /// A ZigBee device whose IEEE address is not known yet, by its short address: `zb:1a2b`.
    ///
    /// A short address changes when the device joins again, so nothing is to be kept under such a name.
    public static func zigbee(short: UInt16) -> DeviceID { named("zb:", UInt64(short), digits: 4) }

    /// A Bluetooth device whose address the receiver does not know.
    public static var unknownBluetooth: DeviceID { DeviceID("ble:") }

    /// A ZigBee device of which not even the short address is known.
    public static var unknownZigBee: DeviceID { DeviceID("zb:") }

    /// Whether the name says for good which device it is.
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
