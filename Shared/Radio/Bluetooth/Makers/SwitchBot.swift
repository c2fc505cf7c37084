import Vocabulary

/// SwitchBot's meters, plugs, contact sensors and leak detectors (SwitchBot BLE open API).
///
/// The service data of 0xFD3D (older firmware: 0x0D00) names the model. The readings of newer models are in the
/// manufacturer data of the same packet, which means nothing without the model.
enum SwitchBot {
    static let company: UInt16 = 0x0969
    static let service: UInt16 = 0xFD3D
    static let firstService: UInt16 = 0x0D00

    /// Reads the service data. Returns nil for a model that is not supported.
    ///
    /// - Parameter maker: The manufacturer data behind the company id, if the packet has one.
    static func read(
        _ body: ByteReader, maker: ByteReader?, _ sender: BluetoothSender
    ) throws(Malformed) -> Report? {
        guard let type = body.peek() else { return nil }
        let model = type & 0x7F
        switch model {
        case 0x54, 0x69:
            guard body.remaining == 6 else { return nil }
            var climate = body
            try climate.skip(3)
            var report = self.report(body, nil, .thermometer, sender)
            try addClimate(&climate, to: &report)
            try addBattery(body, at: 2, to: &report)
            return report
        // Outdoor meter, Meter Pro, Meter Pro CO2.
        case 0x77, 0x34, 0x35:
            guard let maker, maker.remaining >= 11 else { return nil }
            var climate = maker
            try climate.skip(8)
            var report = self.report(body, maker, .thermometer, sender)
            try addClimate(&climate, to: &report)
            try addBattery(body, at: 2, to: &report)
            if model == 0x35, maker.remaining >= 15 {
                try climate.skip(2)
                report.addPossible(.co2, Double(try climate.u16BE()))
            }
            return report
        case 0x64: return try contact(body, sender)
        // Plug Mini (US and JP): power in tenths of a watt.
        case 0x67, 0x6A:
            guard var power = maker, power.remaining >= 12 else { return nil }
            var report = self.report(body, maker, .any, sender)
            try power.skip(10)
            report.addPossible(.power, Double(try power.u16BE() & 0x7FFF) / 10)
            return report
        case 0x26:
            guard var state = maker, state.remaining >= 9 else { return nil }
            var report = self.report(body, maker, .any, sender)
            try state.skip(7)
            report.addPossible(.battery, Double(try state.u8() & 0x7F))
            report.addPossible(.leak, Double(try state.u8() & 1))
            return report
        default: return nil
        }
    }

    private static func contact(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report? {
        guard body.remaining >= 9, let state = body.peek(3) else { return nil }
        var report = self.report(body, nil, .any, sender)
        // 0 is closed, 1 open, 2 open for longer than the set time.
        report.addPossible(.contact, state >> 1 & 3 == 0 ? 0 : 1)
        try addBattery(body, at: 2, to: &report)
        return report
    }

    private static func addBattery(_ body: ByteReader, at place: Int, to report: inout Report) throws(Malformed) {
        var body = body
        try body.skip(place)
        report.addPossible(.battery, Double(try body.u8() & 0x7F))
    }

    /// Reads tenths (4 bits), whole °C (7 bits, the highest bit is set above zero), and whole % (7 bits).
    private static func addClimate(_ body: inout ByteReader, to report: inout Report) throws(Malformed) {
        let tenths = try body.u8() & 0x0F
        let whole = try body.u8()
        let humidity = try body.u8() & 0x7F
        guard tenths < 10 else { throw Malformed("no tenth of a degree", at: body.offset - 3) }
        let magnitude = Double(Int(whole & 0x7F) * 10 + Int(tenths)) / 10
        report.addPossible(.temperature, whole & 0x80 == 0 ? -magnitude : magnitude)
        report.addPossible(.humidity, Double(humidity))
    }

    private static func report(
        _ body: ByteReader, _ maker: ByteReader?, _ kind: SensorKind, _ sender: BluetoothSender
    ) -> Report {
        sender.report("switchbot", kind, maker.map { body.rest + $0.rest } ?? body.rest)
    }
}
