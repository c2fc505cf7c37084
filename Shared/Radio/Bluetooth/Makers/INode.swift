import Vocabulary

/// iNode's Care Sensors and Energy Meter (iNode "Advertisement structure"); little-endian.
///
/// The maker has no company number: the first byte is 0x90 to 0x97, the second the model.
enum INode {
    private static let energyMeter: UInt8 = 0x82

    static func isCompany(_ company: UInt16) -> Bool {
        guard (0x90...0x97).contains(company & 0xFF) else { return false }
        switch UInt8(company >> 8) {
        case energyMeter, 0x93, 0x9B, 0x9C, 0x9D: return true
        default: return false
        }
    }

    /// Reads the data behind the model. Returns nil if its length is not the model's.
    static func read(_ company: UInt16, _ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        let model = UInt8(company >> 8)
        let payload = body.rest
        var body = body
        if model == energyMeter { return try meter(&body, payload, sender) }
        guard payload.count == 22 else { return nil }
        var report = sender.report("inode", .any, payload)
        let state = try body.u16()
        try body.skip(2)  // alarms
        let pressure = try body.u16()
        let temperature = try body.u16()
        let humidity = try body.u16()
        if model == 0x9C {
            report.addPossible(.temperature, 42.5 + Double(Int16(bitPattern: temperature)) / 480)
        } else {
            // 14 bits of a sensor SHT21, whose two lowest bits are not sent.
            report.addPossible(.temperature, 175.72 * Double(temperature) * 4 / 65_536 - 46.85)
            report.addPossible(.humidity, 125 * Double(humidity) * 4 / 65_536 - 6)
        }
        if model == 0x9C || model == 0x9D { report.addPossible(.pressure, Double(pressure) / 16) }
        addBattery(UInt8(state >> 12), to: &report)
        return report
    }

    /// Reads the average of a minute and the sum in pulses, the pulses per unit, and the battery.
    private static func meter(
        _ body: inout ByteReader, _ payload: [UInt8], _ sender: BluetoothSender
    ) throws(Malformed) -> Report? {
        guard payload.count == 11 else { return nil }
        var report = sender.report("inode", .any, payload)
        let average = Double(try body.u16())
        let sum = Double(try body.u32())
        let options = try body.u16()
        let pulses = Double(options & 0x3FFF)
        switch options >> 14 {
        case 0:
            report.addPossible(.energy, sum / (pulses > 0 ? pulses : 100))
            report.addPossible(.power, 60_000 * average / (pulses > 0 ? pulses : 100))
        // Cubic metres.
        case 1: report.addPossible(.volume, 1000 * sum / (pulses > 0 ? pulses : 1000))
        default: report.addPossible(.count, sum / (pulses > 0 ? pulses : 1))
        }
        addBattery(try body.u8() >> 4, to: &report)
        return report
    }

    /// Adds the battery in steps of 10 %; 1 is external power.
    private static func addBattery(_ level: UInt8, to report: inout Report) {
        guard level > 0 else { return }
        report.addPossible(.battery, level == 1 ? 100 : Double(min(level, 11) - 1) * 10)
    }
}
