public import Vocabulary

extension Report {
    /// Adds a value; rejects it if it is outside the possible range of the quantity.
    public mutating func addPossible(_ quantity: Quantity, _ value: Double, channel: Int = 1) {
        guard value.isFinite, quantity.possible.contains(value) else {
            reject(quantity, value, channel: channel, .outOfRange)
            return
        }
        // The largest 16-bit value, which several makes send when the probe is disconnected.
        let doubt: Implausibility? = quantity == .temperature && value == 327.67 ? .failureCode : nil
        add(quantity, value, channel: channel, doubt: doubt)
    }

    /// Adds a value; rejects it if it is impossible, or if this make of device cannot measure it.
    mutating func addChecked(_ quantity: Quantity, _ value: Double, _ traits: DeviceTraits) {
        if traits.isLumi, let measurable = quantity.measurableByLumi, !measurable.contains(value) {
            reject(quantity, value, .outOfRange)
            return
        }
        addPossible(quantity, value)
    }
}

extension Quantity {
    /// The possible range of the quantity, in its unit, independent of any sensor.
    public var possible: ClosedRange<Double> {
        switch probe.quantity {
        case .humidity, .soilMoisture, .leafWetness, .battery, .fillLevel: 0...100
        case .ph: 0...14
        case .contact, .leak: 0...1
        case .illuminance, .conductivity, .co2, .pm25, .pm10, .voc, .level, .volume: 0...Double.greatestFiniteMagnitude
        default: -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
        }
    }

    /// The measuring range of Xiaomi's and Aqara's sensors, which send −100 °C and the like when they fail.
    fileprivate var measurableByLumi: ClosedRange<Double>? {
        switch self {
        case .temperature: (-65.0).nextUp...(65.0).nextDown
        case .pressure: 500...2000
        default: nil
        }
    }
}
