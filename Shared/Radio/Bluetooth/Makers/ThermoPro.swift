import Vocabulary

/// ThermoPro's thermometers, identified by name; little-endian, from where other makes have their company's number.
enum ThermoPro {
    static let names = ["TP35", "TP39", "TP96", "TP97"]

    /// Food probes are sent in degrees above this.
    private static let probeZero = 30.0
    /// TP972's probes are sent in degrees Fahrenheit above this.
    private static let fahrenheitZero = 54.0

    static func read(
        _ body: ByteReader, _ name: ByteReader?, _ sender: BluetoothSender
    ) throws(Malformed) -> Report? {
        guard let name else { return nil }
        if name.starts(with: "TP3") {
            return body.remaining >= 6 ? try climate(body, sender) : nil
        }
        switch body.remaining {
        // TP972 also has a short form.
        case 7, 13: return try probe(body, sender)
        case 23 where name.starts(with: "TP97"): return try longProbe(body, sender)
        default: return nil
        }
    }

    /// Reads 0.1 °C and % at 1, and three levels of the battery.
    private static func climate(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report {
        var report = sender.report("thermopro", .thermometer, body.rest)
        var body = body
        try body.skip(1)
        let temperature = try body.i16()
        let humidity = try body.u8()
        if temperature != -1 || humidity != 0xFF {
            report.addPossible(.temperature, Double(temperature) / 10)
            report.addPossible(.humidity, Double(humidity))
        }
        switch try body.u8() & 3 {
        case 0: report.addPossible(.battery, 1)
        case 1: report.addPossible(.battery, 50)
        case 2: report.addPossible(.battery, 100)
        default: break
        }
        return report
    }

    /// Reads the probe's number, its °C, the battery's voltage and the °C around it.
    private static func probe(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report {
        var report = sender.report("thermopro", .foodProbe, body.rest)
        var body = body
        let number = Int(try body.u8())
        let inside = Double(try body.u16()) - probeZero
        try body.skip(2)
        report.addPossible(.temperature, inside, channel: 2 * number + 1)
        report.addPossible(.temperature, Double(try body.u16()) - probeZero, channel: 2 * number + 2)
        return report
    }

    /// Reads the probe's number, the °F around it, the voltage, and the °F of its tip.
    private static func longProbe(_ body: ByteReader, _ sender: BluetoothSender) throws(Malformed) -> Report {
        var report = sender.report("thermopro", .foodProbe, body.rest)
        var body = body
        let number = Int(try body.u8())
        let around = Double(try body.u16())
        try body.skip(2)
        let tip = Double(Float(bitPattern: try body.u32()))
        report.addPossible(.temperature, celsius(tip), channel: 2 * number + 1)
        report.addPossible(.temperature, celsius(around), channel: 2 * number + 2)
        return report
    }

    /// Returns °C, rounded to a tenth, which is the resolution of these probes.
    private static func celsius(_ sent: Double) -> Double {
        ((sent - fahrenheitZero - 32) * 50 / 9).rounded() / 10
    }
}
