import Vocabulary

/// Mopeka's and Lippert's tank sensors, in the manufacturer data of company 0x0059; little-endian.
enum Mopeka {
    /// Nordic Semiconductor's number, which several makes use.
    static let company: UInt16 = 0x0059

    private static let length = 10
    private static let proCheckPropane: UInt8 = 0x03
    private static let models: Set<UInt8> = [proCheckPropane, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0A, 0x0B, 0x0C]

    /// Reads the model, 1/32 V, °C above −40, and the echo's time with its quality. Returns nil for other makes.
    ///
    /// The speed of sound depends on the liquid, and the packet does not name it. So a level is only given for the
    /// model that is made for propane. Other models give temperature and voltage.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        guard body.remaining == length, let model = body.peek(), models.contains(model),
            isSender(of: body, sender)
        else { return nil }
        var report = sender.report("mopeka", .any, body.rest)
        var body = body
        try body.skip(1)
        report.addPossible(.voltage, Double(try body.u8() & 0x7F) / 32)
        let temperature = Double(try body.u8() & 0x7F)
        report.addPossible(.temperature, temperature - 40)
        let echo = try body.u16()
        // Quality 0 is no echo.
        if model == proCheckPropane, echo >> 14 > 0 {
            let millimetres = 0.573045 - 0.002822 * temperature - 0.00000535 * temperature * temperature
            report.addPossible(.level, Double(echo & 0x3FFF) * millimetres)
        }
        return report
    }

    /// Whether the packet contains the last three bytes of its sender's address.
    private static func isSender(of body: ByteReader, _ sender: BluetoothSender) -> Bool {
        guard let address = sender.addressBytes else { return true }
        return (0..<3).allSatisfy { body.peek(5 + $0) == address[3 + $0] }
    }
}
