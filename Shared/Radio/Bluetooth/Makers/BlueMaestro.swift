import Vocabulary

/// Blue Maestro's Tempo Disc and Pebble, in the manufacturer data of company 0x0133.
enum BlueMaestro {
    static let company: UInt16 = 0x0133

    /// Returns nil for a model that is not supported.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        let payload = body.rest
        var body = body
        switch (try body.u8(), payload.count) {
        // Tempo Disc: battery, log interval, log count, 0.1 °C, 0.1 %, and 0.1 °C of dew point or 0.1 hPa; big-endian.
        case (0x16, 14), (0x17, 14): return try disc(&body, payload, sender, hasPressure: false)
        case (0x1B, 14): return try disc(&body, payload, sender, hasPressure: true)
        // Pebble: lowest, current and highest 0.1 °C, %, hPa; little-endian.
        case (0x01, 18):
            var report = sender.report("bluemaestro", .any, payload)
            try body.skip(2)
            report.addPossible(.temperature, Double(try body.i16()) / 10)
            try body.skip(2)
            report.addPossible(.humidity, Double(try body.u8()))
            report.addPossible(.pressure, Double(try body.u16()))
            return report
        default: return nil
        }
    }

    private static func disc(
        _ body: inout ByteReader, _ payload: [UInt8], _ sender: BluetoothSender, hasPressure: Bool
    ) throws(Malformed) -> Report {
        var report = sender.report("bluemaestro", .any, payload)
        report.addPossible(.battery, Double(try body.u8()))
        try body.skip(4)
        report.addPossible(.temperature, Double(try body.i16BE()) / 10)
        report.addPossible(.humidity, Double(try body.u16BE()) / 10)
        if hasPressure {
            report.addPossible(.pressure, Double(try body.u16BE()) / 10)
        } else {
            report.addPossible(.dewPoint, Double(try body.i16BE()) / 10)
        }
        return report
    }
}
