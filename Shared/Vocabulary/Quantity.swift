public import JSON

/// A measured quantity; the unit of each is fixed (SenML units, RFC 8428 and RFC 8798).
///
/// A device with several probes of one quantity measures `temperature`, `temperature-2` and so on: each probe is a
/// channel.
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
    /// Fine dust up to 2.5 µm and dust up to 10 µm.
    case pm25
    case pm10
    /// Volatile organic compounds.
    case voc
    /// The height of the liquid in a tank.
    case level
    /// The share of a tank or bin that is filled.
    case fillLevel = "fill-level"
    /// An amount of liquid: in a tank, or that passed a meter.
    case volume
    /// What a counter has counted: animals, pulses, passages.
    case count
    /// A door, gate or window: 1 is open, 0 is closed.
    case contact
    /// A leak detector: 1 is wet, 0 is dry.
    case leak
    case power
    case energy
    /// Minutes without a report. No device reports it; limits and alarms of silent measuring points have it.
    case silence
    /// The number of quantities for which goods in one store have limits that exclude each other. No device reports it.
    case goodsConflict = "goods-conflict"
    /// Minutes without any report through a receiver. No device reports it; alarms of receivers have it.
    case reception
    case temperature2 = "temperature-2"
    case temperature3 = "temperature-3"
    case temperature4 = "temperature-4"
    case humidity2 = "humidity-2"
    case humidity3 = "humidity-3"
    case humidity4 = "humidity-4"
    case soilMoisture2 = "soil-moisture-2"
    case soilMoisture3 = "soil-moisture-3"
    case soilMoisture4 = "soil-moisture-4"
    case illuminance2 = "illuminance-2"
    case conductivity2 = "conductivity-2"
    case pressure2 = "pressure-2"
    case voltage2 = "voltage-2"
    case battery2 = "battery-2"

    /// The unit in SenML's notation: `Cel`, `%RH`.
    public var unit: String {
        switch probe.quantity {
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
        case .silence, .reception: "min"
        case .pm25, .pm10, .voc: "ug/m3"
        case .level: "mm"
        case .fillLevel: "%"
        case .volume: "l"
        case .count: "count"
        case .contact, .leak: "/"
        case .power: "W"
        case .energy: "kWh"
        default: ""
        }
    }
}

extension Quantity {
    /// The quantity without the number of the probe, and that number: 1 for the first or only probe.
    public var probe: (quantity: Quantity, channel: Int) {
        switch self {
        case .temperature2: (.temperature, 2)
        case .temperature3: (.temperature, 3)
        case .temperature4: (.temperature, 4)
        case .humidity2: (.humidity, 2)
        case .humidity3: (.humidity, 3)
        case .humidity4: (.humidity, 4)
        case .soilMoisture2: (.soilMoisture, 2)
        case .soilMoisture3: (.soilMoisture, 3)
        case .soilMoisture4: (.soilMoisture, 4)
        case .illuminance2: (.illuminance, 2)
        case .conductivity2: (.conductivity, 2)
        case .pressure2: (.pressure, 2)
        case .voltage2: (.voltage, 2)
        case .battery2: (.battery, 2)
        default: (self, 1)
        }
    }

    /// Returns the same quantity of another probe; nil if that many probes are not supported.
    public func of(channel: Int) -> Quantity? {
        let quantity = probe.quantity
        return channel == 1 ? quantity : Self.all.first { $0.probe == (quantity, channel) }
    }
}

extension Quantity {
    private static let all = Quantity.allCases

    /// The quantities that devices report.
    public static let reported = allCases.filter(\.isReported)

    /// Whether devices report it.
    public var isReported: Bool { self != .silence && self != .goodsConflict && self != .reception }

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
