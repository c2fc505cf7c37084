import Glibc
import Vocabulary

/// A measuring cluster, and the conversion of its raw values into quantities (ZCL specification, chapter 4).
enum MeasuringCluster: UInt16 {
    case basic = 0x0000
    case power = 0x0001
    case illuminance = 0x0400
    case temperature = 0x0402
    case pressure = 0x0403
    case humidity = 0x0405
    case leafWetness = 0x0407
    case soilMoisture = 0x0408
    case ph = 0x0409
    case conductivity = 0x040A
    case co2 = 0x040D

    private static let measured: UInt16 = 0x0000

    /// Adds the values of the attributes. Returns whether any of them is known here.
    func add(_ attributes: ZCLAttributes, traits: DeviceTraits, to report: inout Report) -> Bool {
        switch self {
        case .basic: return addNames(attributes, to: &report)
        case .power: return addPower(attributes, traits, to: &report)
        case .pressure: return addPressure(attributes, traits, to: &report)
        default:
            guard let value = attributes[Self.measured] else { return false }
            guard let number = value.number else { return true }
            switch self {
            case .illuminance: report.addChecked(.illuminance, Self.lux(number, traits), traits)
            case .temperature: report.addChecked(.temperature, number / 100, traits)
            case .humidity: report.addChecked(.humidity, number / 100, traits)
            case .leafWetness: report.addChecked(.leafWetness, number / 100, traits)
            case .soilMoisture: report.addChecked(.soilMoisture, number / 100, traits)
            case .ph: report.addChecked(.ph, number / 100, traits)
            // Tenths of mS/m, which are µS/cm.
            case .conductivity: report.addChecked(.conductivity, number, traits)
            // A fraction of one in single precision; digits below 0.01 ppm are rounding noise.
            case .co2: report.addChecked(.co2, (number * 1e8).rounded() / 100, traits)
            default: break
            }
            return true
        }
    }

    private func addNames(_ attributes: ZCLAttributes, to report: inout Report) -> Bool {
        if case .text(let maker)? = attributes[0x0004] { report.maker = maker }
        if case .text(let model)? = attributes[0x0005] { report.model = model }
        return report.maker != nil || report.model != nil
    }

    private func addPower(_ attributes: ZCLAttributes, _ traits: DeviceTraits, to report: inout Report) -> Bool {
        let voltage = attributes[0x0020]
        let percentage = attributes[0x0021]
        if let number = voltage?.number { report.addChecked(.voltage, number / 10, traits) }
        if let number = percentage?.number {
            report.addChecked(.battery, traits.sendsWholePercent ? number : number / 2, traits)
        }
        return voltage != nil || percentage != nil
    }

    /// Reads pressure in whole hPa. A scaled value with its scale is more precise: Pa = value · 10^−scale.
    private func addPressure(_ attributes: ZCLAttributes, _ traits: DeviceTraits, to report: inout Report) -> Bool {
        let measured = attributes[Self.measured]
        if let scaled = attributes[0x0010]?.number, case .signed(let scale)? = attributes[0x0014],
            (-127...127).contains(scale)
        {
            let value = scale < 0 ? scaled * pow(10, Double(-scale)) : scaled / pow(10, Double(scale))
            report.addChecked(.pressure, value / 100, traits)
            return true
        }
        if let number = measured?.number { report.addChecked(.pressure, number, traits) }
        return measured != nil
    }

    /// Returns lux from 10000 · log10(lux) + 1; 0 is too dark to measure.
    private static func lux(_ raw: Double, _ traits: DeviceTraits) -> Double {
        guard !traits.sendsPlainLux else { return raw }
        return raw == 0 ? 0 : pow(10, (raw - 1) / 10_000)
    }
}
