import Vocabulary

/// How a device is to report the values of a measuring cluster by itself (ZCL specification, section 2.5.7).
///
/// A value is reported at once if it has changed by as much as matters in the field, and at least every 15 minutes,
/// so that a sensor that fails is noticed. Batteries are reported every 6 hours.
struct ReportingPlan: Hashable, Sendable {
    /// One attribute: its number and type, and the change that is reported, as bytes of that type.
    struct Attribute: Hashable, Sendable {
        let number: UInt16
        let type: UInt8
        let change: [UInt8]
    }

    let name: String
    let attributes: [Attribute]
    let secondsMin: UInt16
    let secondsMax: UInt16

    /// Returns the plan of a cluster; nil if it measures nothing.
    init?(cluster: UInt16) {
        guard let cluster = MeasuringCluster(rawValue: cluster) else { return nil }
        (secondsMin, secondsMax) = cluster == .power ? (3600, 21_600) : (10, 900)
        switch cluster {
        case .basic: return nil
        case .power:
            name = "battery"
            attributes = [
                Attribute(number: 0x0020, type: ZCLType.uint8, change: [1]),
                Attribute(number: 0x0021, type: ZCLType.uint8, change: [2]),
            ]
        case .illuminance: (name, attributes) = ("illuminance", [Self.measured(ZCLType.uint16, 1000)])
        case .temperature: (name, attributes) = ("temperature", [Self.measured(ZCLType.int16, 25)])
        case .pressure: (name, attributes) = ("pressure", [Self.measured(ZCLType.int16, 1)])
        case .humidity: (name, attributes) = ("humidity", [Self.measured(ZCLType.uint16, 100)])
        case .leafWetness: (name, attributes) = ("leaf wetness", [Self.measured(ZCLType.uint16, 200)])
        case .soilMoisture: (name, attributes) = ("soil moisture", [Self.measured(ZCLType.uint16, 100)])
        case .ph: (name, attributes) = ("pH", [Self.measured(ZCLType.uint16, 10)])
        case .conductivity: (name, attributes) = ("conductivity", [Self.measured(ZCLType.uint16, 10)])
        case .co2:
            // A fraction of one in single precision; 20 ppm.
            var change = ByteWriter()
            change.u32(Float(0.000_02).bitPattern)
            (name, attributes) = ("CO₂", [Attribute(number: 0, type: ZCLType.float, change: change.bytes)])
        }
    }

    private static func measured(_ type: UInt8, _ change: UInt16) -> Attribute {
        Attribute(number: 0, type: type, change: [UInt8(change & 0xFF), UInt8(change >> 8)])
    }

    /// The payload of the command that configures the reports.
    var payload: [UInt8] {
        var data = ByteWriter()
        for attribute in attributes {
            data.u8(0)
            data.u16(attribute.number)
            data.u8(attribute.type)
            data.u16(secondsMin)
            data.u16(secondsMax)
            data.append(attribute.change)
        }
        return data.bytes
    }

    /// Whether a response to the command accepts at least one attribute. It is one status, or one of each attribute.
    static func isAccepted(_ payload: [UInt8]) -> Bool {
        guard payload.count >= 4 else { return payload.first == 0 }
        return stride(from: 0, to: payload.count - 3, by: 4).contains { payload[$0] == 0 }
    }
}
