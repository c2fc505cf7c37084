import Vocabulary

/// SensorPush's thermometers, identified by service or name; the values begin where other makes have their company's
/// number.
enum SensorPush {
    /// HT1 is the first generation; all later models have another format.
    enum Generation {
        case first, later

        /// Returns the generation by a list of 128-bit services; nil if none of the maker is in it.
        init?(_ services: ByteReader) {
            var services = services
            while services.remaining >= 16 {
                guard let last = services.peek() else { return nil }
                if SensorPush.isOwn(services) {
                    self = last == 0xA9 ? .first : .later
                    return
                }
                do throws(Malformed) { try services.skip(16) } catch { return nil }
            }
            return nil
        }
    }

    /// `ef090000-11d6-42ba-93b8-9dd7ec090aa9` (HT1) or `…ab0`, without the first byte on the air.
    private static let service: [UInt8] = [
        0x0A, 0x09, 0xEC, 0xD7, 0x9D, 0xB8, 0x93, 0xBA, 0x42, 0xD6, 0x11, 0x00, 0x00, 0x09, 0xEF,
    ]

    private static func isOwn(_ services: ByteReader) -> Bool {
        guard let first = services.peek(), first == 0xA9 || first == 0xB0 else { return false }
        return service.indices.allSatisfy { services.peek($0 + 1) == service[$0] }
    }

    /// One value of a mixed-radix number.
    private struct Field {
        var quantity: Quantity
        var lowest: Double
        /// The number of different values.
        var count: UInt64
        var step: Double
        var divisor = 1.0
    }

    private static let humidity = Field(quantity: .humidity, lowest: 0, count: 40_001, step: 0.0025)

    /// Returns the fields of a model; empty for an unknown one.
    private static func fields(of model: UInt8) -> [Field] {
        switch model {
        // HTP.xw, HT.w, TC.x.
        case 0:
            [
                Field(quantity: .temperature, lowest: -40, count: 72_001, step: 0.0025), humidity,
                Field(quantity: .pressure, lowest: 30_000, count: 95_001, step: 1, divisor: 100),
            ]
        case 1: [Field(quantity: .temperature, lowest: -40, count: 66_001, step: 0.0025), humidity]
        case 2: [Field(quantity: .temperature, lowest: -200, count: 32_001, step: 0.0625)]
        default: []
        }
    }

    static func read(
        _ body: ByteReader, _ identity: AdvertisedIdentity, _ sender: BluetoothSender
    ) throws(Malformed) -> Report? {
        if identity.sensorPush == .first { return try first(body, sender) }
        let payload = body.rest
        var body = body
        let head = try body.u8()
        // Other pages contain no measurement.
        guard head & 3 == 0 else { return nil }
        let fields = fields(of: head >> 2)
        guard !fields.isEmpty, (1...8).contains(body.remaining) else { return nil }
        var packed = try body.unsigned(body.remaining)
        // A packet without data, or of a model that is not known, has a greater number.
        guard packed < fields.reduce(1, { $0 * $1.count }) else { return nil }
        var report = sender.report("sensorpush", head >> 2 == 2 ? .thermocouple : .any, payload)
        for field in fields {
            let value = Double(packed % field.count) * field.step + field.lowest
            packed /= field.count
            report.addPossible(field.quantity, (value * 100).rounded() / 100 / field.divisor)
        }
        return report
    }

    /// Reads HT1: 12 bits of humidity and 14 bits of temperature of a sensor SHT21, and 5 bits of the model.
    private static func first(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        guard body.remaining == 4 else { return nil }
        let payload = body.rest
        var body = body
        let bits = try body.u32()
        guard bits >> 26 & 0x1F == 1 else { return nil }
        var report = sender.report("sensorpush", .any, payload)
        let humidity = Double(bits & 0xFFF) / 4096 * 125 - 6
        report.addPossible(.temperature, Double(bits >> 12 & 0x3FFF) / 16_384 * 175.72 - 46.85)
        report.addPossible(.humidity, min(max(humidity, 0), 100))
        return report
    }
}
