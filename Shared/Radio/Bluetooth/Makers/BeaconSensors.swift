import Vocabulary

/// Sensors that put their values in the place of an iBeacon's numbers; their UUID identifies the make.
enum BeaconSensors {
    /// Jaalee's thermometer: `ebefd083-70a2-47c8-9837-e7b5634df525`.
    private static let jaalee: [UInt8] = [
        0xEB, 0xEF, 0xD0, 0x83, 0x70, 0xA2, 0x47, 0xC8, 0x98, 0x37, 0xE7, 0xB5, 0x63, 0x4D, 0xF5, 0x25,
    ]
    /// Monitors of vehicle batteries BM2 and BM6: `655f83ca-ae16-a10a-702e-31f30d58dd82`,
    /// `3ba29cd9-a42c-8948-56ba-daf2606ef777`.
    private static let bm2: [UInt8] = [
        0x65, 0x5F, 0x83, 0xCA, 0xAE, 0x16, 0xA1, 0x0A, 0x70, 0x2E, 0x31, 0xF3, 0x0D, 0x58, 0xDD, 0x82,
    ]
    private static let bm6: [UInt8] = [
        0x3B, 0xA2, 0x9C, 0xD9, 0xA4, 0x2C, 0x89, 0x48, 0x56, 0xBA, 0xDA, 0xF2, 0x60, 0x6E, 0xF7, 0x77,
    ]
    /// The services of Jaalee's other packets.
    static let jaaleeServices: (UInt16, UInt16) = (0xF525, 0xF51C)

    /// Returns nil for any other beacon.
    static func read(
        _ kind: Beacon.Kind, _ body: ByteReader, _ sender: BluetoothSender
    ) throws(Malformed) -> Report? {
        guard case .iBeacon(let uuid, let major, let minor, let power) = kind else { return nil }
        if uuid == jaalee {
            guard let battery = body.peek(23) else { return nil }
            return climate(major, minor, battery: battery, body.rest, sender)
        }
        // The battery's charge in percent, which both send where another number belongs.
        let charge: Double
        if uuid == bm2 {
            charge = Double(UInt8(bitPattern: Int8(clamping: power)))
        } else if uuid == bm6 {
            charge = Double(major & 0xFF)
        } else {
            return nil
        }
        var report = sender.report(uuid == bm2 ? "bm2" : "bm6", .any, body.rest)
        report.addPossible(.battery, charge)
        return report
    }

    /// Reads Jaalee's service data: battery, address, one more byte in 0xF51C, temperature and humidity.
    static func jaalee(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        guard body.remaining == 11 || body.remaining == 12 else { return nil }
        let payload = body.rest
        var body = body
        let battery = try body.u8()
        let address = try body.u48()
        // Packets of another device that use this number do not contain their own address.
        guard sender.address == nil || sender.address == address else { return nil }
        var sender = sender
        sender.address = address
        try body.skip(body.remaining - 4)
        return climate(try body.u16BE(), try body.u16BE(), battery: battery, payload, sender)
    }

    private static func climate(
        _ temperature: UInt16, _ humidity: UInt16, battery: UInt8, _ payload: [UInt8], _ sender: BluetoothSender
    ) -> Report {
        var report = sender.report("jaalee", .any, payload)
        report.addPossible(.temperature, Double(temperature) / 65_535 * 175 - 45)
        report.addPossible(.humidity, Double(humidity) / 65_535 * 100)
        report.addPossible(.battery, Double(battery))
        return report
    }
}
