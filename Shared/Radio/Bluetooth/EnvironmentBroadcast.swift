import Vocabulary

/// The broadcasts of open firmware for small thermometers and plant sensors, in the service data of 0x181A.
///
/// The length and the position of the sender's own address distinguish the formats: ATC1441's and pvvx's firmware for
/// Xiaomi thermometers, and b-parasite's soil sensor.
enum EnvironmentBroadcast {
    static let service: UInt16 = 0x181A

    /// Returns nil if the bytes are in another format, since this UUID is a shared one.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        var body = body
        let payload = body.rest
        switch payload.count {
        case 11: return try sealed(&body, payload, sender)
        case 13: return try atc(&body, payload, sender)
        case 15: return try pvvx(&body, payload, sender)
        case 16 where isParasite(payload[0]), 18 where isParasite(payload[0]):
            return try parasite(&body, payload, sender)
        default: return nil
        }
    }

    /// Big-endian: address, 0.1 °C, %, battery %, mV, counter.
    private static func atc(
        _ body: inout ByteReader, _ payload: [UInt8], _ sender: BluetoothSender
    ) throws(Malformed) -> Report {
        var report = report("atc", .thermometer, try body.u48BE(), payload, sender)
        report.add(.temperature, Double(try body.i16BE()) / 10)
        report.addHumidity(Double(try body.u8()))
        report.addPossible(.battery, Double(try body.u8()))
        report.add(.voltage, Double(try body.u16BE()) / 1000)
        report.counter = UInt64(try body.u8())
        return report
    }

    /// Little-endian: address, 0.01 °C, 0.01 %, mV, battery %, counter, flags.
    private static func pvvx(
        _ body: inout ByteReader, _ payload: [UInt8], _ sender: BluetoothSender
    ) throws(Malformed) -> Report {
        var report = report("pvvx", .thermometer, try body.u48(), payload, sender)
        report.add(.temperature, Double(try body.i16()) / 100)
        report.addHumidity(Double(try body.u16()) / 100)
        report.add(.voltage, Double(try body.u16()) / 1000)
        report.addPossible(.battery, Double(try body.u8()))
        report.counter = UInt64(try body.u8())
        return report
    }

    /// pvvx's encrypted format: counter, then 0.01 °C, 0.01 %, battery %, flags, and a tag of four bytes.
    private static func sealed(
        _ body: inout ByteReader, _ payload: [UInt8], _ sender: BluetoothSender
    ) throws(Malformed) -> Report {
        let start = body.offset
        guard let address = sender.addressBytes else {
            throw Malformed("encrypted, and nobody's address", at: start, isSealed: true)
        }
        let counter = try body.u8()
        // The nonce begins with the sender and the header of the AD structure around this body.
        let head = [UInt8(payload.count + 3), ADType.serviceData16, 0x1A, 0x18]
        let sealed = SealedPayload(
            nonce: address.reversed() + head + [counter], ciphertext: try body.take(6), tag: try body.take(4),
            aad: [0x11])
        var plain = ByteReader(try sealed.open(sender.key, at: start))
        var report = Report(
            device: sender.device, protocolName: "pvvx", kind: .thermometer, repeats: .packetID,
            counter: UInt64(counter),
            fingerprint: payload, rssi: sender.rssi)
        report.add(.temperature, Double(try plain.i16()) / 100)
        report.addHumidity(Double(try plain.u16()) / 100)
        report.addPossible(.battery, Double(try plain.u8() & 0x7F))
        return report
    }

    /// Whether the first byte is version 1 or 2, and a flag of the light sensor.
    private static func isParasite(_ version: UInt8) -> Bool { [0x10, 0x11, 0x20, 0x21].contains(version) }

    /// Big-endian: version, counter, mV, 0.001 °C (version 2: 0.01 °C), air humidity and soil moisture in 1/65,536,
    /// address, lux.
    private static func parasite(
        _ body: inout ByteReader, _ payload: [UInt8], _ sender: BluetoothSender
    ) throws(Malformed) -> Report {
        let version = try body.u8() >> 4
        let counter = try body.u8() & 0x0F
        var values = body
        try body.skip(8)
        var report = report("b-parasite", .plant, try body.u48BE(), payload, sender)
        // A counter of four bits restarts every sixteen packets, which is too short to recognise old packets by.
        report.repeats = .zigbee
        report.counter = UInt64(counter)
        report.add(.voltage, Double(try values.u16BE()) / 1000)
        report.add(.temperature, Double(try values.i16BE()) / (version == 1 ? 1000 : 100))
        report.add(.humidity, Double(try values.u16BE()) / 65_536 * 100)
        report.add(.soilMoisture, Double(try values.u16BE()) / 65_536 * 100)
        if !body.isAtEnd { report.add(.illuminance, Double(try body.u16BE())) }
        return report
    }

    private static func report(
        _ name: String, _ kind: SensorKind, _ address: UInt64, _ payload: [UInt8], _ sender: BluetoothSender
    ) -> Report {
        Report(
            device: .bluetooth(address), protocolName: name, kind: kind, repeats: .packetID, fingerprint: payload,
            rssi: sender.rssi)
    }
}
