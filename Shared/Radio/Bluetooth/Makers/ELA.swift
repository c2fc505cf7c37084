import Vocabulary

/// ELA's Blue sensors, also sold as Sensor Easy and Teltonika: service data with the numbers of GATT characteristics,
/// or manufacturer data of company 0x0757; little-endian.
enum ELA {
    static let company: UInt16 = 0x0757
    static let temperature: UInt16 = 0x2A6E
    static let humidity: UInt16 = 0x2A6F

    private static let noTemperature: Int16 = 0x7FFF

    /// Reads the service data of a characteristic. Returns nil if its length is not that of these sensors.
    static func read(
        service: UInt16, _ body: ByteReader, _ sender: BluetoothSender
    ) throws(Malformed) -> Report? {
        var report = sender.report("ela", .any, body.rest)
        var body = body
        switch (service, body.remaining) {
        case (temperature, 2): addTemperature(try body.i16(), to: &report)
        case (humidity, 1): report.addPossible(.humidity, Double(try body.u8()))
        default: return nil
        }
        return report
    }

    /// Reads objects of a type and a value. An unknown type ends the reading, because its length is unknown.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        var report = sender.report("ela", .any, body.rest)
        var body = body
        var isClaimed = false
        while !body.isAtEnd {
            switch try body.u8() {
            case 0x12: addTemperature(try body.i16(), to: &report)
            case 0x21: report.addPossible(.humidity, Double(try body.u8()))
            case 0xF1: report.addPossible(.battery, Double(try body.u8()))
            case 0xF2: report.addPossible(.voltage, Double(try body.u16()) / 1000)
            default: return isClaimed ? report : nil
            }
            isClaimed = true
        }
        return isClaimed ? report : nil
    }

    private static func addTemperature(_ raw: Int16, to report: inout Report) {
        if raw != noTemperature { report.addPossible(.temperature, Double(raw) / 100) }
    }
}

/// Teltonika's EYE sensor, in the manufacturer data of company 0x089A; big-endian.
enum TeltonikaEYE {
    static let company: UInt16 = 0x089A

    /// Reads version 1 and the mask of fields: 0.01 °C, %, movement, angle, and 10 mV above 2 V. Returns nil if other
    /// bytes follow.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        let payload = body.rest
        var body = body
        guard try body.u8() == 1 else { return nil }
        let mask = try body.u8()
        var report = sender.report("teltonika-eye", .any, payload)
        if mask & 0x01 != 0 { report.addPossible(.temperature, Double(try body.i16BE()) / 100) }
        if mask & 0x02 != 0 { report.addPossible(.humidity, Double(try body.u8())) }
        if mask & 0x10 != 0 { try body.skip(2) }
        if mask & 0x20 != 0 { try body.skip(3) }
        if mask & 0x80 != 0 { report.addPossible(.voltage, 2 + Double(try body.u8()) / 100) }
        // Other makes send data of their own where this maker's number stands here by chance.
        return body.isAtEnd ? report : nil
    }
}
