import Radio
import Vocabulary

/// The conversion of units to the fixed ones of `Quantity`.
enum MeasuredField {
    /// Returns a value in the unit of its quantity.
    ///
    /// - Parameter unit: The unit as the sender names it; nil if it names none.
    static func convert(_ value: Double, _ quantity: Quantity, from unit: String?) -> Double {
        switch (quantity.probe.quantity, unit) {
        case (.temperature, "°F"), (.temperature, "F"), (.dewPoint, "°F"), (.dewPoint, "F"):
            rounded((value - 32) / 1.8)
        case (.pressure, "kPa"): rounded(value * 10)
        case (.pressure, "Pa"): rounded(value / 100)
        case (.pressure, "mmHg"): rounded(value * 1.333_223_874)
        case (.pressure, "inHg"): rounded(value * 33.863_886_67)
        case (.pressure, "psi"): rounded(value * 68.947_572_93)
        case (.voltage, "mV"): rounded(value / 1000)
        case (.conductivity, "mS/cm"): rounded(value * 1000)
        default: value
        }
    }

    /// Removes what the conversion adds beyond the digits that were measured.
    private static func rounded(_ value: Double) -> Double { (value * 1e4).rounded() / 1e4 }
}

extension Report {
    /// Adds a value in the sender's unit. The value of a probe that is not supported is rejected with its reason.
    mutating func add(_ value: Double, _ quantity: Quantity, unit: String?, channel: Int = 1) {
        addPossible(quantity, MeasuredField.convert(value, quantity, from: unit), channel: channel)
    }
}
