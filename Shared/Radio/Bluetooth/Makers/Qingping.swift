import Vocabulary

/// Qingping (ClearGrass), in the service data of 0xFDCD; little-endian.
enum Qingping {
    static let service: UInt16 = 0xFDCD

    /// Reads flags, model, address, then objects of a type, a length and a value.
    static func read(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> DecodedInput {
        let payload = body.rest
        var body = body
        try body.skip(2)
        let address = try body.u48()
        var sender = sender
        if sender.address == nil { sender.address = address }
        var report = sender.report("qingping", .any, payload)
        var problem: Malformed?
        do throws(Malformed) {
            var count = 0
            while body.remaining >= 2, count < RadioLimits.objects {
                count += 1
                let type = try body.u8()
                var value = try body.part(Int(try body.u8()))
                try add(type, &value, to: &report)
            }
        } catch {
            problem = error
        }
        var decoded = DecodedInput(report)
        if let problem { decoded.note(problem) }
        return decoded
    }

    private static func add(_ type: UInt8, _ value: inout ByteReader, to report: inout Report) throws(Malformed) {
        switch (type, value.remaining) {
        case (0x01, 4):
            report.addPossible(.temperature, Double(try value.i16()) / 10)
            report.addPossible(.humidity, Double(try value.u16()) / 10)
        case (0x02, 1): report.addPossible(.battery, Double(try value.u8()))
        case (0x07, 2): report.addPossible(.pressure, Double(try value.u16()) / 10)
        // Motion, then the light level.
        case (0x08, 4):
            try value.skip(1)
            report.addPossible(.illuminance, Double(try value.u24()))
        case (0x09, 4): report.addPossible(.illuminance, Double(try value.u32()))
        case (0x12, 4):
            addPresent(.pm25, try value.u16(), to: &report)
            addPresent(.pm10, try value.u16(), to: &report)
        case (0x13, 2): addPresent(.co2, try value.u16(), to: &report)
        default: break
        }
    }

    private static func addPresent(_ quantity: Quantity, _ value: UInt16, to report: inout Report) {
        if value != 0xFFFF { report.addPossible(quantity, Double(value)) }
    }
}
