import Vocabulary

/// Govee's thermometers for food, identified by service or the name's digits. A negative value is an absent probe.
enum GoveeProbes {
    static func read(
        _ body: ByteReader, _ service: UInt16, _ model: Int, _ payload: [UInt8], _ sender: BluetoothSender
    ) throws(Malformed) -> Report? {
        var report = sender.report("govee", .foodProbe, payload)
        // Where several models share a length, the service distinguishes them, or else the name.
        switch (body.remaining, service, model) {
        case (14, 0x8151, _), (14, 0x8351, _), (14, _, 5181), (14, _, 5183): try add(1, at: 8, body, to: &report)
        case (17, 0x8251, _), (17, _, 5182): try addPair(1, 13, body, to: &report)
        case (17, 0x8451, _), (17, _, 5184):
            guard let first = firstOfPair(body) else { return nil }
            try addPair(first, 13, body, to: &report)
        case (20, 0x5550, _), (20, _, 5055): return try six(body, report)
        case (20, 0x8551, _), (20, _, 5185): try addPair(1, 14, body, to: &report)
        // The second value is the air's.
        case (20, 0x9151, _), (20, _, 5191): try addPair(1, 14, body, to: &report)
        case (20, 0x9851, _), (20, _, 5198):
            guard let first = firstOfPair(body) else { return nil }
            try addPair(first, 14, body, to: &report)
        default: return nil
        }
        return report
    }

    /// Returns the number of the first probe in a packet with two of four.
    private static func firstOfPair(_ body: ByteReader) -> Int? {
        switch (body.peek(6) ?? 0) & 0x3F {
        case 1: 1
        case 2: 3
        default: nil
        }
    }

    private static func addPair(
        _ first: Int, _ second: Int, _ body: ByteReader, to report: inout Report
    ) throws(Malformed) {
        try add(first, at: 8, body, to: &report)
        try add(first + 1, at: second, body, to: &report)
    }

    /// Reads 0.01 °C; big-endian.
    private static func add(
        _ channel: Int, at place: Int, _ body: ByteReader, to report: inout Report
    ) throws(Malformed) {
        var body = body
        try body.skip(place)
        let value = try body.i16BE()
        if value >= 0 { report.addPossible(.temperature, Double(value) / 100, channel: channel) }
    }

    /// Reads H5055: two of six probes in whole °C, little-endian. Which two is in the highest bits of the mask, and
    /// which of them are present in the others.
    private static func six(_ body: ByteReader, _ report: Report) throws(Malformed) -> Report? {
        var report = report
        guard let battery = body.peek(2), let mask = body.peek(3), mask < 0xC0 else { return nil }
        let first = Int(mask >> 6) * 2
        for (number, place) in [(first, 5), (first + 1, 12)] where mask & 1 << UInt8(number) != 0 {
            var value = body
            try value.skip(place)
            report.addPossible(.temperature, Double(try value.i16()), channel: number + 1)
        }
        report.addPossible(.battery, Double(battery & 0x7F))
        return report
    }
}
