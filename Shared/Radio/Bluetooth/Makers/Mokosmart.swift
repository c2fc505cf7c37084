import Vocabulary

/// Mokosmart's BeaconX Pro, such as H4, in the service data of 0xFEAB; big-endian.
enum Mokosmart {
    static let service: UInt16 = 0xFEAB

    /// Reads the frames of temperature and humidity, and of the device's voltage. Returns nil for other frames.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        let payload = body.rest
        var body = body
        let frame = try body.u8()
        guard frame == 0x40 || frame == 0x70 else { return nil }
        // The power at 0 m and the interval of advertising.
        try body.skip(2)
        var report = sender.report("mokosmart", .any, payload)
        if frame == 0x70 {
            report.addPossible(.temperature, Double(try body.i16BE()) / 10)
            report.addPossible(.humidity, Double(try body.u16BE()) / 10)
        }
        report.addPossible(.voltage, Double(try body.u16BE()) / 1000)
        return report
    }
}
