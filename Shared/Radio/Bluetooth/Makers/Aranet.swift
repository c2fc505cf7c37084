import Vocabulary

/// Aranet4 with "Smart Home integrations" switched on, in the manufacturer data of company 0x0702; little-endian.
enum Aranet {
    static let company: UInt16 = 0x0702

    private static let length = 22
    private static let valuesOffset = 8

    /// Reads ppm, 1/20 °C, 0.1 hPa, %, battery %. The highest bits of a value mark it as missing.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        // Other models of the maker have other lengths.
        guard body.remaining == length else { return nil }
        var report = sender.report("aranet4", .any, body.rest)
        var body = body
        try body.skip(valuesOffset)
        let co2 = try body.u16()
        let temperature = try body.u16()
        let pressure = try body.u16()
        let humidity = try body.u8()
        if co2 & 0x8000 == 0 { report.addPossible(.co2, Double(co2)) }
        if temperature & 0xC000 != 0x4000 {
            report.addPossible(.temperature, Double(Int16(bitPattern: temperature)) / 20)
        }
        if pressure & 0x8000 == 0 { report.addPossible(.pressure, Double(pressure) / 10) }
        if humidity & 0x80 == 0 { report.addPossible(.humidity, Double(humidity)) }
        report.addPossible(.battery, Double(try body.u8() & 0x7F))
        return report
    }
}
