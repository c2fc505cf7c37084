import Glibc
import Vocabulary

/// RuuviTag and Ruuvi Air, in the manufacturer data of company 0x0499; all big-endian.
///
/// Formats 3 (RAWv1), 5 (RAWv2), 6 and E1 of the maker's "Bluetooth advertisements" pages.
enum Ruuvi {
    static let company: UInt16 = 0x0499

    /// Reads the data behind the company id. Throws if it is malformed or in an unknown format.
    ///
    /// - Parameter device: The sender by the address it was received under.
    static func read(_ body: ByteReader, device: DeviceID, rssi: Int?) throws(Malformed) -> Report {
        let payload = body.rest
        var body = body
        let start = body.offset
        switch try body.u8() {
        case 0x03: return try format3(&body, payload, device, rssi)
        case 0x05: return try format5(&body, payload, device, rssi)
        case 0x06: return try format6(&body, payload, device, rssi)
        case 0xE1: return try formatE1(&body, payload, device, rssi)
        default: throw Malformed("no such Ruuvi format", at: start)
        }
    }

    private static func format3(
        _ body: inout ByteReader, _ payload: [UInt8], _ device: DeviceID, _ rssi: Int?
    ) throws(Malformed) -> Report {
        try body.need(13)
        var report = Report(
            device: device, protocolName: "ruuvi3", kind: .ruuvi, repeats: .payload,
            fingerprint: Array(payload.prefix(14)),
            rssi: rssi)
        let humidity = Double(try body.u8()) / 2
        // Sign and magnitude, then hundredths.
        let whole = try body.u8()
        let hundredths = Int(whole & 0x7F) * 100 + Int(try body.u8())
        report.add(.temperature, Double(whole & 0x80 == 0 ? hundredths : -hundredths) / 100)
        report.addHumidity(humidity)
        report.add(.pressure, (Double(try body.u16BE()) + 50_000) / 100)
        for quantity in [Quantity.accelerationX, .accelerationY, .accelerationZ] {
            report.add(quantity, metresPerSecondSquared(try body.i16BE()))
        }
        report.add(.voltage, Double(try body.u16BE()) / 1000)
        return report
    }

    private static func format5(
        _ body: inout ByteReader, _ payload: [UInt8], _ device: DeviceID, _ rssi: Int?
    ) throws(Malformed) -> Report {
        try body.need(23)
        var report = Report(
            device: device, protocolName: "ruuvi5", kind: .ruuvi, repeats: .sequence,
            fingerprint: payload.count == 24 ? payload : Array(payload.prefix(24)), rssi: rssi)
        report.readings.reserveCapacity(8)
        var climate = body
        try body.skip(6)
        var acceleration = body
        try body.skip(6)
        let power = try body.u16BE()
        try body.skip(1)  // movement counter
        let sequence = try body.u16BE()
        let address = try body.u48BE()
        report.name(after: address)
        if sequence != 0xFFFF { report.counter = UInt64(sequence) }
        try addClimate(&climate, to: &report)
        try addAcceleration(&acceleration, .accelerationX, to: &report)
        try addAcceleration(&acceleration, .accelerationY, to: &report)
        try addAcceleration(&acceleration, .accelerationZ, to: &report)
        // 11 bits of millivolts above 1600, 5 bits of transmit power.
        if power >> 5 != 0x7FF { report.add(.voltage, Double(power >> 5 + 1600) / 1000) }
        return report
    }

    private static func format6(
        _ body: inout ByteReader, _ payload: [UInt8], _ device: DeviceID, _ rssi: Int?
    ) throws(Malformed) -> Report {
        try body.need(19)
        var report = Report(
            device: device, protocolName: "ruuvi6", kind: .ruuvi, repeats: .packetID,
            fingerprint: Array(payload.prefix(20)),
            rssi: rssi)
        try addClimate(&body, to: &report)
        addParticles(.pm25, try body.u16BE(), to: &report)
        addCO2(try body.u16BE(), to: &report)
        try body.skip(2)  // indices of volatile compounds and nitrogen oxides
        let light = try body.u8()
        if light != 0xFF { report.add(.illuminance, exp(Double(light) * log(65_536) / 254) - 1) }
        try body.skip(1)
        report.counter = UInt64(try body.u8())
        return report
    }

    private static func formatE1(
        _ body: inout ByteReader, _ payload: [UInt8], _ device: DeviceID, _ rssi: Int?
    ) throws(Malformed) -> Report {
        try body.need(39)
        var report = Report(
            device: device, protocolName: "ruuviE1", kind: .ruuvi, repeats: .sequence,
            fingerprint: Array(payload.prefix(40)),
            rssi: rssi)
        var climate = body
        try body.skip(6 + 2)  // climate, particles of up to 1 µm
        let fine = try body.u16BE()
        try body.skip(2)  // of up to 4 µm
        let coarse = try body.u16BE()
        let co2 = try body.u16BE()
        try body.skip(2)  // indices of volatile compounds and nitrogen oxides
        let light = try body.u24BE()
        try body.skip(3)
        let sequence = try body.u24BE()
        try body.skip(6)  // flags, reserved
        let address = try body.u48BE()
        report.name(after: address)
        if sequence != 0xFF_FFFF { report.counter = UInt64(sequence) }
        try addClimate(&climate, to: &report)
        addParticles(.pm25, fine, to: &report)
        addParticles(.pm10, coarse, to: &report)
        addCO2(co2, to: &report)
        if light != 0xFF_FFFF { report.add(.illuminance, Double(light) / 100) }
        return report
    }

    /// Reads temperature in 0.005 °C, humidity in 0.0025 %, and pressure in Pa above 500 hPa.
    private static func addClimate(_ body: inout ByteReader, to report: inout Report) throws(Malformed) {
        let temperature = try body.i16BE()
        let humidity = try body.u16BE()
        let pressure = try body.u16BE()
        if temperature != .min { report.add(.temperature, Double(temperature) / 200) }
        if humidity != 0xFFFF { report.addHumidity(Double(humidity) / 400) }
        if pressure != 0xFFFF { report.add(.pressure, (Double(pressure) + 50_000) / 100) }
    }

    /// Reads an acceleration in thousandths of the standard gravity.
    private static func addAcceleration(
        _ body: inout ByteReader, _ quantity: Quantity, to report: inout Report
    ) throws(Malformed) {
        let value = try body.i16BE()
        if value != .min { report.add(quantity, metresPerSecondSquared(value)) }
    }

    private static func addCO2(_ value: UInt16, to report: inout Report) {
        if value != 0xFFFF { report.add(.co2, Double(value)) }
    }

    /// Adds a concentration of particles in 0.1 µg/m³.
    private static func addParticles(_ quantity: Quantity, _ value: UInt16, to report: inout Report) {
        if value != 0xFFFF { report.add(quantity, Double(value) / 10) }
    }

    private static func metresPerSecondSquared(_ milligravity: Int16) -> Double {
        Double(milligravity) * 9.80665 / 1000
    }
}

extension Report {
    /// Sets the device to the address in its payload if the receiver does not know the sender's address.
    fileprivate mutating func name(after address: UInt64) {
        guard device == .unknownBluetooth || device == .bluetooth(0), address != 0xFFFF_FFFF_FFFF else { return }
        device = .bluetooth(address)
    }

    /// Adds a humidity that the format allows; it is marked out of range if it is impossible.
    mutating func addHumidity(_ value: Double, channel: Int = 1) {
        add(.humidity, value, channel: channel, doubt: (0...100).contains(value) ? nil : .outOfRange)
    }
}
