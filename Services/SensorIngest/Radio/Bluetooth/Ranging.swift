import Glibc

/// How far a transmitter may be, from how strongly it is heard.
///
/// Both are rough indoors: bodies, shelves and walls take 10 dB and more.
public enum Ranging {
    /// Metres by the log-distance model: 10^((power − rssi) / (10 · exponent)).
    ///
    /// - Parameters:
    ///   - rssi: dBm as heard.
    ///   - power: dBm at 1 m.
    ///   - exponent: About 2 in the open, 2.7 to 4.3 indoors.
    public static func logDistance(rssi: Int, power: Int, exponent: Double = 2.7) -> Double {
        pow(10, Double(power - rssi) / (10 * exponent))
    }

    /// Metres by the curve that the AltBeacon project fitted to telephones, at most 400; nil where there is no signal
    /// or the beacon does not say its power.
    public static func fittedDistance(rssi: Int, power: Int) -> Double? {
        guard rssi != 0, power != 0 else { return nil }
        let ratio = Double(rssi) / Double(power)
        let metres = ratio < 1 ? pow(ratio, 10) : 0.89976 * pow(ratio, 7.7095) + 0.111
        return min(metres, 400)
    }
}
