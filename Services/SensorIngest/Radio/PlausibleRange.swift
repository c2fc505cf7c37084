public import Vocabulary

extension Report {
    /// Adds a value, or refuses it where no such thing can be.
    mutating func addPossible(_ quantity: Quantity, _ value: Double, channel: Int = 1) {
        guard value.isFinite, quantity.possible.contains(value) else {
            reject(quantity, value, channel: channel, .outOfRange)
            return
        }
        // The largest value of 16 bits: what several makes send when the sensor has come off.
        let doubt: Implausibility? = quantity == .temperature && value == 327.67 ? .failureCode : nil
        add(quantity, value, channel: channel, doubt: doubt)
    }

    /// Adds a value, or refuses it where no such thing can be or where this make of device cannot measure it.
    mutating func addChecked(_ quantity: Quantity, _ value: Double, _ traits: DeviceTraits) {
        if traits.isLumi, let measurable = quantity.measurableByLumi, !measurable.contains(value) {
            reject(quantity, value, .outOfRange)
            return
        }
        addPossible(quantity, value)
    }
}

extension Quantity {
    /// What the quantity can be at all, as far as its meaning says.
    public var possible: ClosedRange<Double> {
        switch probe.quantity {
        case .humidity, .soilMoisture, .leafWetness, .battery: 0...100
        case .ph: 0...14
        case .illuminance, .conductivity, .co2: 0...Double.greatestFiniteMagnitude
        default: -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
        }
    }

    /// What Xiaomi's and Aqara's sensors can measure; they send −100 °C and the like when they fail.
    fileprivate var measurableByLumi: ClosedRange<Double>? {
        switch self {
        case .temperature: (-65.0).nextUp...(65.0).nextDown
        case .pressure: 500...2000
        default: nil
        }
    }
}
