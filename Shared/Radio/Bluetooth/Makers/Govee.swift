import Vocabulary

/// Govee's thermometers, identified by name, service or company; the length and the name's digits give the model.
///
/// `body` begins at the company's number, which some models use for data of their own.
enum Govee {
    static let company: UInt16 = 0xEC88
    /// The service of the climate sensors, and those of the food thermometers by model.
    static let services: [UInt16] = [company, 0x5550, 0x8151, 0x8251, 0x8351, 0x8451, 0x8551, 0x9151, 0x9851]

    private static let sharedCompany: UInt16 = 0x0001
    private static let outdoorCompany: UInt16 = 0x8801
    /// Apple's beacon data, which some firmware appends to its own.
    private static let appended = 25
    /// The makers' sensors measure no more; what exceeds it is an error.
    private static let measurable = -60.0...60.0

    static func read(
        _ body: ByteReader, _ identity: AdvertisedIdentity, _ sender: BluetoothSender
    ) throws(Malformed) -> Report? {
        let payload = body.rest
        var body = body
        let company = try body.u16()
        if body.remaining > appended, let start = appendedStart(body) { body = try body.part(start) }
        let model = identity.name.flatMap(model) ?? 0
        if let report = try climate(body, company, model, payload, sender) { return report }
        return try GoveeProbes.read(body, identity.service ?? 0, model, payload, sender)
    }

    private static func appendedStart(_ body: ByteReader) -> Int? {
        let start = body.remaining - appended
        let isBeacon =
            body.peek(start) == 0x4C && body.peek(start + 1) == 0x00 && body.peek(start + 2) == 0x02
            && body.peek(start + 3) == 0x15
        return isBeacon ? start : nil
    }

    /// Returns the four digits in `GVH5075_2762`, `GV51085242`, `Govee_H5074_5FF4`, `B51782BC8`.
    private static func model(_ name: ByteReader) -> Int? {
        var place = name.starts(with: "Govee_") ? 6 : name.starts(with: "GV") ? 2 : name.starts(with: "B") ? 1 : 0
        if name.peek(place) == UInt8(ascii: "H") { place += 1 }
        var number = 0
        for offset in place..<(place + 4) {
            guard let digit = name.peek(offset), (0x30...0x39).contains(digit) else { return nil }
            number = number * 10 + Int(digit - 0x30)
        }
        return number
    }

    private static func climate(
        _ body: ByteReader, _ company: UInt16, _ model: Int, _ payload: [UInt8], _ sender: BluetoothSender
    ) throws(Malformed) -> Report? {
        var report = sender.report("govee", .any, payload)
        var body = body
        switch (body.remaining, model) {
        case (6, 5072), (6, 5075), (6, 5129):
            try body.skip(1)
            try addPacked(&body, to: &report)
        case (8, 5112): return try twoProbes(&body, report)
        case (8, 5140):
            try body.skip(2)
            let packed = try body.u24BE()
            let co2 = try body.u16BE()
            guard try body.u8() == 0, addPacked(packed, to: &report) else { return report }
            report.addPossible(.co2, Double(co2))
        case (6, 5106):
            try body.skip(2)
            addDust(try body.u32BE(), to: &report)
        case (6, 5100...5105), (6, 5108), (6, 5110), (6, 5174), (6, 5177), (6, 5179), (8, 5100...5105), (8, 5108),
            (8, 5110), (8, 5174), (8, 5177), (8, 5179):
            try body.skip(2)
            try addPacked(&body, to: &report)
        case (7, 5074), (9, 5051), (9, 5052), (9, 5071):
            try body.skip(1)
            try addPlain(&body, to: &report)
        case (9, 5179) where company == outdoorCompany, (9, 0) where company == outdoorCompany:
            try body.skip(4)
            try addPlain(&body, to: &report)
        case (9, 5178): return try indoorOutdoor(&body, report)
        case (_, 0): return try unnamed(&body, company, report)
        default: return nil
        }
        return report
    }

    /// Reads a model by its company's number and length alone; returns nil if they leave a choice.
    private static func unnamed(
        _ body: inout ByteReader, _ company: UInt16, _ report: Report
    ) throws(Malformed) -> Report? {
        var report = report
        switch (company, body.remaining) {
        case (self.company, 6):
            try body.skip(1)
            try addPacked(&body, to: &report)
        case (self.company, 7), (self.company, 9):
            try body.skip(1)
            try addPlain(&body, to: &report)
        case (sharedCompany, 9): return try indoorOutdoor(&body, report)
        default: return nil
        }
        return report
    }

    /// Reads H5178: the number of the sensor (0 indoors, 1 outdoors), then its packed values.
    private static func indoorOutdoor(_ body: inout ByteReader, _ report: Report) throws(Malformed) -> Report? {
        var report = report
        try body.skip(2)
        let sensor = try body.u8()
        guard sensor < 2 else { return nil }
        try addPacked(&body, to: &report, channel: Int(sensor) + 1)
        return report
    }

    /// Reads H5112: packed values, then which probe they are of. The second measures no humidity.
    private static func twoProbes(_ body: inout ByteReader, _ report: Report) throws(Malformed) -> Report? {
        var report = report
        let isSecond = body.peek(7) == 0x82
        guard isSecond || body.peek(7) == 0x41 else { return nil }
        try body.skip(2)
        let packed = try body.u24BE()
        let battery = try body.u8()
        if battery & 0x80 == 0 {
            addPacked(packed, to: &report, channel: isSecond ? 2 : 1, hasHumidity: !isSecond)
        }
        report.addPossible(.battery, Double(battery & 0x7F))
        return report
    }

    /// Reads three bytes of temperature and humidity, then the battery, whose highest bit marks an error.
    private static func addPacked(
        _ body: inout ByteReader, to report: inout Report, channel: Int = 1
    ) throws(Malformed) {
        let packed = try body.u24BE()
        let battery = try body.u8()
        if battery & 0x80 == 0 { addPacked(packed, to: &report, channel: channel) }
        report.addPossible(.battery, Double(battery & 0x7F), channel: channel)
    }

    /// Adds a sign, then tenths of a degree · 1000 + tenths of a percent. Returns false if it is an error's value.
    @discardableResult
    private static func addPacked(
        _ packed: UInt32, to report: inout Report, channel: Int = 1, hasHumidity: Bool = true
    ) -> Bool {
        let number = packed & 0x7F_FFFF
        let magnitude = Double(number / 1000) / 10
        let temperature = packed & 0x80_0000 == 0 ? magnitude : -magnitude
        guard measurable.contains(temperature) else { return false }
        report.addPossible(.temperature, temperature, channel: channel)
        if hasHumidity { report.addPossible(.humidity, Double(number % 1000) / 10, channel: channel) }
        return true
    }

    /// Reads 0.01 °C, 0.01 % and battery %; little-endian.
    private static func addPlain(_ body: inout ByteReader, to report: inout Report) throws(Malformed) {
        report.addPossible(.temperature, Double(try body.i16()) / 100)
        report.addPossible(.humidity, Double(try body.u16()) / 100)
        report.addPossible(.battery, Double(try body.u8()))
    }

    /// Adds H5106: a sign, then tenths of a degree · 1,000,000 + tenths of a percent · 1000 + µg/m³ of fine dust.
    private static func addDust(_ packed: UInt32, to report: inout Report) {
        let number = packed & 0x7FFF_FFFF
        let magnitude = Double(number / 1_000_000) / 10
        let temperature = packed & 0x8000_0000 == 0 ? magnitude : -magnitude
        guard measurable.contains(temperature) else { return }
        report.addPossible(.temperature, temperature)
        report.addPossible(.humidity, Double(number / 1000 % 1000) / 10)
        report.addPossible(.pm25, Double(number % 1000))
    }
}
