public import Vocabulary

/// A GATT characteristic with measurements, and the format of its value.
public enum Characteristic: Hashable, Sendable {
    /// TI SensorTag, F000AA21-0451-4000-B000-000000000000: temperature, then humidity, 16 bits each.
    case sensorTag(HumiditySensor)
    /// A characteristic of the Bluetooth SIG by its short number: Environmental Sensing and Battery Service.
    case standard(UInt16)

    /// The humidity chip of a SensorTag, on which the meaning of the bytes depends.
    public enum HumiditySensor: String, Hashable, Sendable {
        /// CC2650: T = raw / 65536 · 165 − 40, RH = raw / 65536 · 100.
        case hdc1000
        /// CC2541: T = raw / 65536 · 175.72 − 46.85, RH = raw / 65536 · 125 − 6, without the two status bits.
        case sht21
    }

    private static let sensorTagBase = "04514000b000000000000000"
    private static let standardBase = "00001000800000805f9b34fb"

    /// Creates the characteristic of a UUID, long or short, with or without dashes. Returns nil if it is not supported.
    public init?(uuid text: String, sensor: HumiditySensor = .hdc1000) {
        let digits = text.lowercased().filter { $0 != "-" }
        let isLong = digits.utf8.count == 32
        guard isLong || digits.utf8.count == 4 || digits.utf8.count == 8,
            let number = UInt32(digits.prefix(isLong ? 8 : 32), radix: 16)
        else { return nil }
        let base = isLong ? String(digits.dropFirst(8)) : nil
        if number == 0xF000_AA21 || number == 0xAA21, base == nil || base == Self.sensorTagBase {
            self = .sensorTag(sensor)
        } else if let short = UInt16(exactly: number), Self.scales[short] != nil,
            base == nil || base == Self.standardBase
        {
            self = .standard(short)
        } else {
            return nil
        }
    }

    private struct Scale {
        var quantity: Quantity
        var width: Int
        var isSigned: Bool
        var divisor: Double
    }

    /// GATT Specification Supplement: Battery Level, Pressure, Temperature, Humidity, Illuminance.
    private static let scales: [UInt16: Scale] = [
        0x2A19: Scale(quantity: .battery, width: 1, isSigned: false, divisor: 1),
        0x2A6D: Scale(quantity: .pressure, width: 4, isSigned: false, divisor: 1000),
        0x2A6E: Scale(quantity: .temperature, width: 2, isSigned: true, divisor: 100),
        0x2A6F: Scale(quantity: .humidity, width: 2, isSigned: false, divisor: 100),
        0x2AFB: Scale(quantity: .illuminance, width: 3, isSigned: false, divisor: 100),
    ]

    /// Reads one value that was read or notified. Throws if it is too short.
    ///
    /// A SensorTag repeats its last value while it has no new one. So equal values mean that it is alive, not that it
    /// has measured again.
    public func read(_ value: [UInt8], device: DeviceID) throws(Malformed) -> Report {
        var reader = ByteReader(value)
        switch self {
        case .sensorTag(let sensor):
            guard value.count == 4 else { throw Malformed("a SensorTag's value has 4 bytes", at: value.count) }
            var report = Report(
                device: device, protocolName: "sensortag-\(sensor.rawValue)", repeats: .payload, fingerprint: value)
            let temperature = try reader.u16()
            let humidity = try reader.u16()
            switch sensor {
            case .hdc1000:
                report.add(.temperature, Double(temperature) / 65_536 * 165 - 40)
                report.addHumidity(Double(humidity) / 65_536 * 100)
            case .sht21:
                report.add(.temperature, Double(temperature & ~3) / 65_536 * 175.72 - 46.85)
                report.addHumidity(Double(humidity & ~3) / 65_536 * 125 - 6)
            }
            return report
        case .standard(let number):
            guard let scale = Self.scales[number] else { throw Malformed("no such characteristic", at: 0) }
            // The number, because two characteristics of one device may have equal bytes.
            let identity = [UInt8(number >> 8), UInt8(number & 0xFF)] + value
            var report = Report(device: device, protocolName: "gatt", repeats: .payload, fingerprint: identity)
            let raw = try scale.isSigned ? Double(reader.signed(scale.width)) : Double(reader.unsigned(scale.width))
            let marker = scale.isSigned ? -exp2(of: 8 * scale.width - 1) : exp2(of: 8 * scale.width) - 1
            if raw != marker { report.addChecked(scale.quantity, raw / scale.divisor, .standard) }
            return report
        }
    }

    private func exp2(of exponent: Int) -> Double { Double(sign: .plus, exponent: exponent, significand: 1) }
}
