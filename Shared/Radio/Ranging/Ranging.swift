import Glibc

/// Estimates of a transmitter's distance from its signal strength.
///
/// They are rough indoors: bodies, furniture and walls attenuate by 10 dB and more.
public enum Ranging {
    /// Returns metres by the log-distance model: 10^((power − rssi) / (10 · exponent)).
    ///
    /// - Parameters:
    /// - rssi: The received signal strength in dBm.
    /// - power: The signal strength at 1 m in dBm.
    /// - exponent: About 2 in the open, 2.7 to 4.3 indoors.
    public static func logDistance(rssi: Double, power: Double, exponent: Double = 2.7) -> Double {
        pow(10, (power - rssi) / (10 * exponent))
    }

    /// Returns metres by the log-distance model with two slopes: free space (exponent 2) within 1 m, where nothing
    /// stands between, and indoors (2.7) beyond.
    ///
    /// - Parameters:
    /// - level: The smoothed signal strength in dBm.
    /// - power: The signal strength at 1 m in dBm.
    static func distance(level: Double, power: Double) -> Double {
        logDistance(rssi: level, power: power, exponent: level > power ? 2 : 2.7)
    }
}
