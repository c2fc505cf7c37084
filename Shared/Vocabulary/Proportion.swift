public import JSON

/// A share of a group, and the interval that contains the true share in 95 of 100 cases: Wilson's score interval.
public struct Proportion: Equatable, Sendable {
    /// From 0 to 1: 0.05 is five of a hundred.
    public let share: Double
    public let low: Double
    public let high: Double

    /// The quantile of the normal distribution for 95 per cent, two-sided.
    private static let z = 1.959_963_984_540_054

    /// Returns nil for an empty group.
    public init?(_ count: Int, of all: Int) {
        guard all > 0 else { return nil }
        let (n, share, z) = (Double(all), Double(count) / Double(all), Self.z)
        let middle = share + z * z / (2 * n)
        let width = z * (share * (1 - share) / n + z * z / (4 * n * n)).squareRoot()
        let scale = 1 + z * z / n
        self.init(share: share, low: (middle - width) / scale, high: (middle + width) / scale)
    }

    private init(share: Double, low: Double, high: Double) {
        (self.share, self.low, self.high) = (share, low, high)
    }

    /// Returns how much larger this share is than that of another group, with its interval of the same certainty.
    ///
    /// R. G. Newcombe, Interval estimation for the difference between independent proportions, Statistics in Medicine
    /// 17 (1998), method 10.
    public func difference(from other: Proportion) -> Proportion {
        let difference = share - other.share
        func length(_ left: Double, _ right: Double) -> Double { (left * left + right * right).squareRoot() }
        return Proportion(
            share: difference, low: difference - length(share - low, other.high - other.share),
            high: difference + length(high - share, other.share - other.low))
    }
}

/// As JSON it is an object with `share`, `low` and `high`.
extension Proportion: JSONRecord {
    /// Writes the members.
    public func write(fields json: inout JSONWriter) {
        json.member("share", share)
        json.member("low", low)
        json.member("high", high)
    }
}
