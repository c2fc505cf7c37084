public import Vocabulary

/// The kind of a sensor, on which the plausible range of its values depends.
public enum SensorKind: UInt8, Hashable, Sendable {
    case any
    /// RuuviTag, Ruuvi Air.
    case ruuvi
    /// A small indoor thermometer: Xiaomi's, with the maker's firmware or another.
    case thermometer
    /// A sensor with its probe in soil.
    case plant
    case dht11
    /// A probe for food and ovens.
    case foodProbe
    /// A thermocouple of type K.
    case thermocouple
}

extension Quantity {
    /// Returns the range, in the quantity's unit, that a sensor of this kind on a farm can measure.
    ///
    /// A value outside comes from a broken sensor or from bytes that were corrupted in transit. The ranges are wider
    /// than data sheets: an old sensor drifts, and a wrong rejection hides a real danger. The temperature of air and
    /// goods is between a freezer's −86 °C and an oven's; air pressure on Earth is between 330 and 1,085 hPa.
    public func plausible(for kind: SensorKind) -> ClosedRange<Double> {
        switch probe.quantity {
        case .temperature: Self.temperatures(of: kind)
        case .dewPoint: -90...100
        case .humidity, .soilMoisture, .leafWetness, .battery, .fillLevel: 0...100
        case .pressure: 300...1200
        case .illuminance: 0...200_000
        case .conductivity: 0...100_000
        case .co2: 0...100_000
        case .ph: 0...14
        case .voltage: 0...1000
        case .rain: 0...10_000
        case .rssi: -150...30
        case .pm25, .pm10: 0...10_000
        case .voc: 0...100_000
        case .level: 0...20_000
        case .volume, .energy: 0...1_000_000_000
        case .count: Double(Int32.min)...Double(UInt32.max)
        case .contact, .leak: 0...1
        case .power: -1_000_000...1_000_000
        default: -400...400
        }
    }

    private static func temperatures(of kind: SensorKind) -> ClosedRange<Double> {
        switch kind {
        case .any: -90...150
        case .ruuvi: -55...125
        case .thermometer: -50...100
        case .plant: -40...85
        case .dht11: -20...65
        case .foodProbe: -50...400
        case .thermocouple: -200...1_400
        }
    }
}
