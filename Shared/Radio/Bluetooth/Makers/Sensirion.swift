import Vocabulary

/// Sensirion's gadgets (MyCO2, SHT4x and others), in the manufacturer data of company 0x06D5; little-endian.
///
/// The sample types are those of the maker's library "Sensirion Gadget BLE". Its indices of volatile compounds and
/// nitrogen oxides have no unit and are skipped.
enum Sensirion {
    static let company: UInt16 = 0x06D5

    private enum Field {
        case temperature
        /// Of 65,535 for 100 %, and of 65,535 for 125 % above −6 %.
        case humidity, wideHumidity
        case co2
        /// Of 65,535 for 1,000 µg/m³, and in tenths of a µg/m³.
        case pm25, fineTenths
        case skipped
    }

    private static func fields(of sample: UInt8) -> [Field] {
        switch sample {
        case 4: [.temperature, .humidity]
        case 6: [.temperature, .wideHumidity]
        case 3, 14, 22: [.temperature, .humidity, .skipped]
        case 8, 10: [.temperature, .humidity, .co2]
        case 12: [.temperature, .humidity, .co2, .pm25]
        case 16: [.temperature, .humidity, .skipped, .pm25]
        case 20: [.temperature, .humidity, .co2, .skipped, .pm25]
        case 24: [.temperature, .humidity, .skipped, .skipped, .fineTenths]
        case 26: [.temperature, .humidity, .co2, .skipped, .skipped, .fineTenths]
        case 28: [.temperature, .humidity, .co2, .fineTenths]
        case 30: [.temperature, .humidity, .skipped, .fineTenths]
        case 32: [.temperature, .humidity, .co2, .skipped, .fineTenths]
        default: []
        }
    }

    /// Reads the kind of packet (0), the sample type, the device's number, and the values. Returns nil for an unknown
    /// sample type.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        let payload = body.rest
        var body = body
        guard try body.u8() == 0 else { return nil }
        let fields = fields(of: try body.u8())
        guard !fields.isEmpty else { return nil }
        try body.skip(2)
        var report = sender.report("sensirion", .any, payload)
        for field in fields {
            let raw = Double(try body.u16())
            switch field {
            case .temperature: report.addPossible(.temperature, raw / 65_535 * 175 - 45)
            case .humidity: report.addPossible(.humidity, raw / 65_535 * 100)
            // The range beyond 0 to 100 % is for drops and dryness that the sensor does not distinguish from it.
            case .wideHumidity: report.addPossible(.humidity, min(max(raw / 65_535 * 125 - 6, 0), 100))
            case .co2: report.addPossible(.co2, raw)
            case .pm25: report.addPossible(.pm25, raw / 65_535 * 1000)
            case .fineTenths: report.addPossible(.pm25, raw / 10)
            case .skipped: break
            }
        }
        return report
    }
}
