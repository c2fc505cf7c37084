import Glibc
import Vocabulary

/// Xiaomi's broadcast, versions 2 to 5, in the service data of 0xFE95; little-endian.
enum MiBeacon {
    static let service: UInt16 = 0xFE95

    private struct Control {
        var isEncrypted: Bool
        var hasAddress: Bool
        var hasCapability: Bool
        var hasObject: Bool
        var version: UInt16

        init(_ bits: UInt16) {
            isEncrypted = bits & 0x0008 != 0
            hasAddress = bits & 0x0010 != 0
            hasCapability = bits & 0x0020 != 0
            hasObject = bits & 0x0040 != 0
            version = bits >> 12
        }
    }

    /// Reads frame control, product, counter, optional address and capability, then objects.
    ///
    /// Versions 2 and 3 encrypt without an authentication tag, so a wrong key would give arbitrary values. They are not
    /// decrypted.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> DecodedInput {
        let start = body.offset
        let bytes = body.rest
        var body = body
        var sender = sender
        let control = Control(try body.u16())
        let product = try body.u16()
        let counter = try body.u8()
        if control.hasAddress { sender.address = try body.u48() }
        if control.hasCapability {
            let capability = try body.u8()
            if capability & 0x20 != 0 { try body.skip(1) }
        }
        guard control.hasObject else { return DecodedInput() }
        guard control.version >= 2 else { throw Malformed("no such MiBeacon version", at: start) }
        var report = Report(
            device: sender.device, protocolName: "mibeacon\(control.version)", kind: .thermometer,
            repeats: .packetID, counter: UInt64(counter), fingerprint: bytes, rssi: sender.rssi)
        if control.isEncrypted {
            guard control.version >= 4 else { throw Malformed("encrypted without a check", at: start, isSealed: true) }
            body = ByteReader(try open(&body, bytes, sender, at: start))
        }
        let problem = addObjects(&body, of: product, to: &report)
        var decoded = DecodedInput(report)
        if let problem { decoded.note(problem) }
        return decoded
    }

    /// Decrypts the objects, which are followed by three more bytes of the counter and a tag of four bytes.
    private static func open(
        _ body: inout ByteReader, _ bytes: [UInt8], _ sender: BluetoothSender, at start: Int
    ) throws(Malformed) -> [UInt8] {
        guard body.remaining >= 7, let address = sender.addressBytes else {
            throw Malformed("too short for an encrypted MiBeacon", at: body.offset)
        }
        let ciphertext = try body.take(body.remaining - 7)
        let more = try body.take(3)
        let nonce = address.reversed() + bytes[2..<5] + more
        let sealed = SealedPayload(nonce: nonce, ciphertext: ciphertext, tag: try body.take(4), aad: [0x11])
        return try sealed.open(sender.key, at: start)
    }

    private static func addObjects(_ body: inout ByteReader, of product: UInt16, to report: inout Report) -> Malformed?
    {
        var count = 0
        do throws(Malformed) {
            // Some devices send a remainder that is shorter than an object's header.
            while body.remaining >= 3, count < RadioLimits.objects {
                count += 1
                let type = try body.u16()
                var value = try body.part(Int(try body.u8()))
                try addObject(type, &value, of: product, to: &report)
            }
        } catch {
            return error
        }
        return nil
    }

    private static func addObject(
        _ type: UInt16, _ value: inout ByteReader, of product: UInt16, to report: inout Report
    ) throws(Malformed) {
        switch (type, value.remaining) {
        case (0x1004, 2): report.add(.temperature, Double(try value.i16()) / 10)
        case (0x1006, 2): report.addPossible(.humidity, Double(try value.u16()) / 10)
        case (0x1007, 3): report.add(.illuminance, Double(try value.u24()))
        case (0x1008, 1): report.addPossible(.soilMoisture, Double(try value.u8()))
        case (0x1009, 2): report.add(.conductivity, Double(try value.u16()))
        case (0x100A, 1), (0x4803, 1), (0x4A01, 1), (0x4C03, 1), (0x5403, 1):
            report.addPossible(.battery, Double(try value.u8()))
        // Clinical thermometers MMC-W505 and MMC-T201-1.
        case (0x000A, 2): report.addPossible(.temperature, Double(try value.i16()) / 100)
        case (0x2000, 5) where product == 0x00DB: try addBody(&value, to: &report)
        case (0x100D, 4):
            report.add(.temperature, Double(try value.i16()) / 10)
            report.addPossible(.humidity, Double(try value.u16()) / 10)
        // Motion; this model also sends the light level.
        case (0x000F, 3) where product == 0x0A83: report.add(.illuminance, Double(try value.u24()))
        case (0x4805, 4), (0x4A08, 4): report.addPossible(.illuminance, try single(&value))
        case (0x4801, 4), (0x4C01, 4): report.addPossible(.temperature, try single(&value))
        case (0x605D, 1): report.add(.temperature, Double(try value.i8()))
        case (0x4802, 1), (0x4C02, 1), (0x6012, 1): report.addPossible(.humidity, Double(try value.u8()))
        case (0x4808, 4), (0x4C08, 4): report.addPossible(.humidity, try single(&value))
        default: break
        }
    }

    /// Reads two temperatures of the skin in 0.01 °C and the battery.
    ///
    /// The maker does not publish how its app computes the temperature of the body; this fits what it shows between
    /// 36.5 and 37.8 °C. A result far outside is rejected.
    private static func addBody(_ value: inout ByteReader, to report: inout Report) throws(Malformed) {
        let upper = Double(try value.i16()) / 100
        let lower = Double(try value.i16()) / 100
        let body = 3.71934e-11 * exp(0.69314 * upper) - 1.02801e-8 * exp(0.53871 * lower) + 36.413
        if (34...43).contains(body) {
            report.addPossible(.temperature, body)
        } else {
            report.reject(.temperature, body, .outOfRange)
        }
        report.addPossible(.battery, Double(try value.u8()))
    }

    /// Reads a single-precision number, rounded to a tenth, which is the resolution of these sensors.
    private static func single(_ value: inout ByteReader) throws(Malformed) -> Double {
        (Double(Float(bitPattern: try value.u32())) * 10).rounded() / 10
    }
}
