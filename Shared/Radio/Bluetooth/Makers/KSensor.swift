import Vocabulary

/// KKM's and BlueCharm's sensor beacons: frame 0x21 in the service data of Eddystone (KBeacon "KSensor"); big-endian.
enum KSensor {
    static let frame: UInt8 = 0x21

    private static let accelerationBytes = 6

    /// Reads frame, version 1, the mask of fields, then: mV, 8.8 °C, 8.8 %, accelerations in thousandths of gravity.
    ///
    /// Returns nil for an unknown version or field, because the position of what follows is then unknown.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        let payload = body.rest
        var body = body
        try body.skip(1)
        guard try body.u8() == 1 else { return nil }
        let mask = try body.u8()
        guard mask & 0xF0 == 0 else { return nil }
        var report = sender.report("ksensor", .any, payload)
        if mask & 1 != 0 { report.addPossible(.voltage, Double(try body.u16BE()) / 1000) }
        if mask & 2 != 0 { report.addPossible(.temperature, Double(try body.i16BE()) / 256) }
        if mask & 4 != 0 { report.addPossible(.humidity, Double(try body.u16BE()) / 256) }
        // Some firmware sends the accelerations without the bit of the mask.
        guard mask & 8 != 0 || body.remaining == accelerationBytes else { return report }
        for quantity in [Quantity.accelerationX, .accelerationY, .accelerationZ] {
            report.add(quantity, Double(try body.i16BE()) * 9.80665 / 1000)
        }
        return report
    }
}
