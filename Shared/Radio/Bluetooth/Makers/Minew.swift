import Vocabulary

/// Minew's sensor beacons such as S1, in the service data of 0xFFE1; big-endian, the address reversed.
enum Minew {
    static let service: UInt16 = 0xFFE1

    private static let frame: UInt8 = 0xA1
    private static let climate: UInt8 = 0x01

    /// Reads frame 0xA1, version 1: battery %, 8.8 °C, 8.8 %, address. Returns nil for other frames.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        guard body.remaining == 13, body.peek() == frame, body.peek(1) == climate else { return nil }
        let payload = body.rest
        var body = body
        var values = body
        try values.skip(2)
        try body.skip(7)
        let address = try body.u48()
        // The number of the service is in use by other makes, too.
        guard sender.address == nil || sender.address == address else { return nil }
        var sender = sender
        sender.address = address
        var report = sender.report("minew", .any, payload)
        report.addPossible(.battery, Double(try values.u8()))
        report.addPossible(.temperature, Double(try values.i16BE()) / 256)
        report.addPossible(.humidity, Double(try values.u16BE()) / 256)
        return report
    }
}
