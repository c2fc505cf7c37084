/// How near a beacon is, in the steps that iOS applications know.
public enum Proximity: String, Sendable {
    /// At most 0.5 m.
    case immediate
    /// At most 3 m.
    case near
    case far
    /// The device does not announce its power, so its distance is a guess.
    case unknown

    public init(metres: Double) {
        self = metres <= RangingLimits.immediateMetres ? .immediate : metres <= 3 ? .near : .far
    }
}

/// One beacon as a reader receives it now.
public struct RangedBeacon: Equatable, Sendable {
    public var beacon: String
    /// The smoothed signal strength in dBm.
    public var rssi: Double
    public var metres: Double
    public var proximity: Proximity
    /// Receptions per second, over the last 3 s: below 1, there are seconds without a vote.
    public var perSecond: Double
    /// Whether it was within 1 m for more than 3 of the last 6 seconds: a list scan counts it as found.
    public var isFound: Bool
}

/// The limits and thresholds of ranging. Those of Čizmar's application: 0.5 m, 1 m, −75 dBm, and more than 3 hits.
public enum RangingLimits {
    public static let immediateMetres = 0.5
    public static let foundMetres = 1.0
    public static let nearestRSSI = -75.0
    /// The seconds that votes count for, and the number that a decision exceeds: a decision takes 4 to 6 s.
    public static let voteSeconds = 6
    public static let votes = 3
    /// The lead in dB of the nearest beacon over the second nearest, below which neither gets a vote.
    public static let leadDecibels = 2.0
    /// The seconds over which the signal strength is smoothed, and those for which receptions are stored.
    public static let smoothedSeconds: Int64 = 3
    public static let storedSeconds: Int64 = 6
    /// The most beacons of one reader, and receptions of one beacon.
    public static let beacons = 512
    public static let receptions = 96
    /// The signal strength at 1 m of a transmitter that does not announce it.
    public static let assumedPower = -59
}
