public import JSON

/// What a sensor measures; the unit of each is fixed (SenML units, RFC 8428 and RFC 8798).
public enum Quantity: String, CaseIterable, Sendable, JSONReadable, JSONWritable {
    case temperature
    case humidity
    case pressure
    case illuminance
    case soilMoisture = "soil-moisture"
    case leafWetness = "leaf-wetness"
    case conductivity
    case battery
    case voltage
    case co2
    case ph
    case rssi
    case dewPoint = "dew-point"
    case rain
    case accelerationX = "acceleration-x"
    case accelerationY = "acceleration-y"
    case accelerationZ = "acceleration-z"

    public var unit: String {
        switch self {
        case .temperature, .dewPoint: "Cel"
        case .humidity: "%RH"
        case .pressure: "hPa"
        case .illuminance: "lx"
        case .soilMoisture, .leafWetness: "%"
        case .conductivity: "uS/cm"
        case .battery: "%EL"
        case .voltage: "V"
        case .co2: "ppm"
        case .ph: "pH"
        case .rssi: "dBm"
        case .rain: "mm"
        case .accelerationX, .accelerationY, .accelerationZ: "m/s2"
        }
    }
}

extension Quantity {
    private static let all = Quantity.allCases

    public init(json: borrowing JSONValue) throws(JSONError) {
        self = try json.text("expected a known Quantity") { text in
            Quantity.all.first { quantity in
                let name = quantity.rawValue.utf8.span
                guard name.count == text.count else { return false }
                for index in name.indices where name[index] != text[index] { return false }
                return true
            }
        }
    }
}
