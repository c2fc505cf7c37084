import Testing
import Vocabulary

@Suite("Quantities")
struct QuantityTests {
    /// The published units: SenML units (RFC 8428 and RFC 8798) by the names in `decode` and in events.
    private static let promised = [
        "temperature": "Cel", "humidity": "%RH", "pressure": "hPa", "illuminance": "lx", "soil-moisture": "%",
        "leaf-wetness": "%", "conductivity": "uS/cm", "battery": "%EL", "voltage": "V", "co2": "ppm", "ph": "pH",
        "rssi": "dBm",
    ]

    @Test func `each published quantity has its published unit`() {
        for (name, unit) in Self.promised { #expect(Quantity(rawValue: name)?.unit == unit, "\(name)") }
    }

    @Test func `further quantities have a unit of the same notation`() {
        let more = Quantity.allCases.filter { Self.promised[$0.rawValue] == nil && $0.probe.channel == 1 }
        #expect(
            more.map { "\($0.rawValue) \($0.unit)" } == [
                "dew-point Cel", "rain mm", "acceleration-x m/s2", "acceleration-y m/s2", "acceleration-z m/s2",
                "pm25 ug/m3", "pm10 ug/m3", "voc ug/m3", "level mm", "fill-level %", "volume l", "count count",
                "contact /", "leak /", "power W", "energy kWh", "silence min", "goods-conflict ", "reception min",
            ])
    }

    @Test func `a quantity of a further probe has a numbered name and the unit of the first`() {
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

    @Test func `quantities are named in lower case with hyphens`() {
        for quantity in Quantity.allCases {
            #expect(quantity.rawValue.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
        }
    }
}
