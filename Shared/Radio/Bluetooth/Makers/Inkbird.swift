import Vocabulary

/// Inkbird's thermometers; little-endian. Most begin with the temperature, where other makes have their company's
/// number, and are identified by name or by service 0xFFF0.
enum Inkbird {
    static let service: UInt16 = 0xFFF0
    /// Of ITH-11-B and its relatives, and of IAM-T2.
    static let company: UInt16 = 0x2449
    static let monitorCompany: UInt16 = 0x3254

    /// Reads a packet by name and length; returns nil if it is of no supported model.
    static func read(
        _ body: ByteReader, _ identity: AdvertisedIdentity, _ sender: BluetoothSender
    ) throws(Malformed) -> Report? {
        if let name = identity.name, body.remaining == 9, name.equals("sps") || name.equals("tps") {
            return try small(body, hasHumidity: name.equals("sps"), sender)
        }
        switch body.remaining {
        case 12, 14, 18, 22: return try probes(body, sender)
        default: return nil
        }
    }

    /// Reads IBS-TH (which always measures humidity) or IBS-TH2: 0.01 °C, 0.01 %, probe, checksum, battery %, mode.
    private static func small(
        _ body: ByteReader, hasHumidity: Bool, _ sender: BluetoothSender
    ) throws(Malformed) -> Report? {
        var report = sender.report("inkbird", .any, body.rest)
        var body = body
        report.addPossible(.temperature, Double(try body.i16()) / 100)
        let humidity = try body.u16()
        if hasHumidity || humidity != 0 { report.addPossible(.humidity, Double(humidity) / 100) }
        try body.skip(3)
        report.addPossible(.battery, Double(try body.u8()))
        return report.unlessCorrupt
    }

    /// Reads iBBQ and xBBQ: four zeros, the address, then 0.1 °C of each probe. A negative value is no probe.
    private static func probes(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        var report = sender.report("inkbird", .foodProbe, body.rest)
        var body = body
        guard try body.u32() == 0 else { return nil }
        let address = try body.u48BE()
        // Some firmware sends the address in reverse.
        guard sender.address == nil || sender.address == address || sender.address == address.byteSwapped >> 16 else {
            return nil
        }
        for channel in 1...(body.remaining / 2) {
            let value = try body.i16()
            if value >= 0 { report.addPossible(.temperature, Double(value) / 10, channel: channel) }
        }
        return report
    }

    /// Reads ITH-11-B, ITH-13-B, ITH-21-B and IBS-P02B behind the company id: 0.1 °C at 4, 0.1 % at 6, battery % at 8.
    static func readLong(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        // The end is empty; models whose end is not are unknown.
        guard body.remaining == 16, (13..<16).allSatisfy({ body.peek($0) == 0 }) else { return nil }
        var report = sender.report("inkbird", .any, body.rest)
        var body = body
        try body.skip(4)
        report.addPossible(.temperature, Double(try body.i16()) / 10)
        let humidity = try body.u16()
        // Models without a sensor for humidity send zero.
        if humidity != 0 { report.addPossible(.humidity, Double(humidity) / 10) }
        report.addPossible(.battery, Double(try body.u8()))
        return report.unlessCorrupt
    }

    /// Reads IAM-T2 behind the company id: address, then status at 7, 0.1 °C or °F, 0.1 %, ppm; big-endian.
    static func readMonitor(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        guard body.remaining == 15, body.peek() == 0x00, body.peek(1) == 0x62 else { return nil }
        var report = sender.report("inkbird", .any, body.rest)
        var body = body
        try body.skip(7)
        let isFahrenheit = try body.u8() & 2 != 0
        let temperature = Double(try body.i16BE()) / 10
        report.addPossible(.temperature, isFahrenheit ? (temperature - 32) * 5 / 9 : temperature)
        report.addPossible(.humidity, Double(try body.u16BE()) / 10)
        report.addPossible(.co2, Double(try body.u16BE()))
        return report.unlessCorrupt
    }
}

extension Report {
    /// Nil if a percentage is above 100: these packets have no check, so their other values are not reliable then.
    fileprivate var unlessCorrupt: Report? { rejected.isEmpty ? self : nil }
}
