import Testing
import Vocabulary

@Suite("A quantity")
struct QuantityTests {
    /// What outsiders rely on: SenML units (RFC 8428 and RFC 8798) by the names that `decode` and events use.
    private static let promised = [
        "temperature": "Cel", "humidity": "%RH", "pressure": "hPa", "illuminance": "lx", "soil-moisture": "%",
        "leaf-wetness": "%", "conductivity": "uS/cm", "battery": "%EL", "voltage": "V", "co2": "ppm", "ph": "pH",
        "rssi": "dBm",
    ]

    @Test func `has the unit that was promised`() {
        for (name, unit) in Self.promised { #expect(Quantity(rawValue: name)?.unit == unit, "\(name)") }
    }

    @Test func `beyond those has a unit of the same family`() {
        let more = Quantity.allCases.filter { Self.promised[$0.rawValue] == nil && $0.probe.channel == 1 }
        #expect(
            more.map { "\($0.rawValue) \($0.unit)" } == [
                "dew-point Cel", "rain mm", "acceleration-x m/s2", "acceleration-y m/s2", "acceleration-z m/s2",
            ])
    }

    @Test func `of a further probe is named after the probe and has the unit of the first`() {
        let further = Quantity.allCases.filter { $0.probe.channel > 1 }
        for quantity in further {
            let (first, channel) = quantity.probe
            #expect(quantity.rawValue == "\(first.rawValue)-\(channel)")
            #expect(quantity.unit == first.unit && first.probe == (first, 1))
            #expect(first.of(channel: channel) == quantity && quantity.of(channel: 1) == first)
        }
        #expect(further.count == 14)
        #expect(Quantity.temperature.of(channel: 5) == nil && Quantity.rain.of(channel: 2) == nil)
    }

    @Test func `is named in lower case with hyphens`() {
        for quantity in Quantity.allCases {
            #expect(quantity.rawValue.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
        }
    }
}
