import Vocabulary

/// HHCC's plant sensor HHCCJCY10, in the service data of 0xFD50; big-endian.
enum PlantSensor {
    static let service: UInt16 = 0xFD50

    /// Reads soil moisture %, 0.1 °C, lux (3 bytes), battery %, conductivity µS/cm. Returns nil for other makers' data.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        guard body.remaining == 9 else { return nil }
        var report = Report(
            device: sender.device, protocolName: "hhccjcy10", kind: .plant, repeats: .payload, fingerprint: body.rest,
            rssi: sender.rssi)
        var body = body
        report.addPossible(.soilMoisture, Double(try body.u8()))
        report.add(.temperature, Double(try body.i16BE()) / 10)
        report.add(.illuminance, Double(try body.u24BE()))
        report.addPossible(.battery, Double(try body.u8()))
        report.add(.conductivity, Double(try body.u16BE()))
        return report
    }
}
