import Vocabulary

/// One kind of object in a BTHome packet: its length and the quantity it measures (bthome.io, "Sensor data").
struct BTHomeObject {
    /// Bytes of the value; nil if the value begins with its own length.
    var width: Int?
    var isSigned = false
    /// value = raw · multiplier / divisor, in the quantity's unit.
    var multiplier = 1.0
    var divisor = 1.0
    /// Nil for objects that are skipped: events, states and quantities that are not used here.
    var quantity: Quantity?

    static let packetID: UInt8 = 0x00

    static func known(_ id: UInt8) -> BTHomeObject? {
        measuring[id] ?? passed[id].map { BTHomeObject(width: $0) } ?? texts[id]
    }

    private static func unsigned(_ width: Int, _ quantity: Quantity, per divisor: Double = 1) -> BTHomeObject {
        BTHomeObject(width: width, divisor: divisor, quantity: quantity)
    }

    private static func signed(_ width: Int, _ quantity: Quantity, per divisor: Double = 1) -> BTHomeObject {
        BTHomeObject(width: width, isSigned: true, divisor: divisor, quantity: quantity)
    }

    private static let measuring: [UInt8: BTHomeObject] = [
        0x01: unsigned(1, .battery),
        0x02: signed(2, .temperature, per: 100),
        0x03: unsigned(2, .humidity, per: 100),
        0x04: unsigned(3, .pressure, per: 100),
        0x05: unsigned(3, .illuminance, per: 100),
        0x08: signed(2, .dewPoint, per: 100),
        0x09: unsigned(1, .count),
        0x0A: unsigned(3, .energy, per: 1000),
        0x0B: unsigned(3, .power, per: 100),
        0x0C: unsigned(2, .voltage, per: 1000),
        0x0D: unsigned(2, .pm25),
        0x0E: unsigned(2, .pm10),
        // An opening, a door, a garage door, a window: 1 is open.
        0x11: unsigned(1, .contact),
        0x1A: unsigned(1, .contact),
        0x1B: unsigned(1, .contact),
        0x2D: unsigned(1, .contact),
        // "Moisture" as a state: 1 is wet.
        0x20: unsigned(1, .leak),
        0x12: unsigned(2, .co2),
        0x13: unsigned(2, .voc),
        0x14: unsigned(2, .soilMoisture, per: 100),
        0x2E: unsigned(1, .humidity),
        0x2F: unsigned(1, .soilMoisture),
        0x3D: unsigned(2, .count),
        0x3E: unsigned(4, .count),
        0x45: signed(2, .temperature, per: 10),
        0x47: unsigned(2, .volume, per: 10),
        0x48: unsigned(2, .volume, per: 1000),
        0x4A: unsigned(2, .voltage, per: 10),
        0x4D: unsigned(4, .energy, per: 1000),
        0x4E: unsigned(4, .volume, per: 1000),
        0x4F: unsigned(4, .volume, per: 1000),
        0x55: unsigned(4, .volume, per: 1000),
        0x56: unsigned(2, .conductivity),
        0x57: signed(1, .temperature),
        0x58: BTHomeObject(width: 1, isSigned: true, multiplier: 35, divisor: 100, quantity: .temperature),
        0x59: signed(1, .count),
        0x5A: signed(2, .count),
        0x5B: signed(4, .count),
        0x5C: signed(4, .power, per: 100),
        0x5F: unsigned(2, .rain, per: 10),
    ]

    /// Objects that begin with their length: text, raw bytes and commands.
    private static let texts: [UInt8: BTHomeObject] = [
        0x53: BTHomeObject(width: nil), 0x54: BTHomeObject(width: nil), command: BTHomeObject(width: nil),
    ]

    /// A command has a length byte whose low five bits count the arguments, followed by its number and the arguments.
    static let command: UInt8 = 0x3B

    /// Returns the number of bytes after the length byte of an object that begins with one.
    static func width(of id: UInt8, lengthByte: UInt8) -> Int {
        id == command ? 1 + Int(lengthByte & 0x1F) : Int(lengthByte)
    }

    /// The widths of objects that are skipped.
    private static let passed: [UInt8: Int] = {
        var widths: [UInt8: Int] = [
            0x00: 1, 0x06: 2, 0x07: 2, 0x09: 1, 0x0A: 3, 0x0B: 3, 0x0D: 2, 0x0E: 2, 0x13: 2, 0x3A: 1, 0x3C: 2, 0x3D: 2,
            0x3E: 4, 0x3F: 2, 0x40: 2, 0x41: 2, 0x42: 3, 0x43: 2, 0x44: 2, 0x46: 1, 0x47: 2, 0x48: 2, 0x49: 2, 0x4B: 3,
            0x4C: 4, 0x4D: 4, 0x4E: 4, 0x4F: 4, 0x50: 4, 0x51: 2, 0x52: 2, 0x55: 4, 0x59: 1, 0x5A: 2, 0x5B: 4, 0x5C: 4,
            0x5D: 2, 0x5E: 2, 0x60: 1, 0x61: 2, 0x62: 4, 0x63: 4, 0x64: 1, 0x65: 1, 0xF0: 2, 0xF1: 4, 0xF2: 3,
        ]
        // States of one bit, one byte each.
        for id in [UInt8](0x0F...0x11) + [UInt8](0x15...0x2D) { widths[id] = 1 }
        return widths
    }()

    /// Returns the value in the quantity's unit.
    func value(_ raw: Double) -> Double { raw * multiplier / divisor }
}
