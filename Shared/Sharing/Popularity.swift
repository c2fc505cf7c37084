/// The rank of a stored response: its requests, of which each weighs half as much after each half-life (forward decay,
/// Cormode et al. 2009).
///
/// The rank is a logarithm, so that it grows by 1 in a half-life and the order of two responses never changes with time
/// alone: nothing has to be computed again. `log2` and `exp2` are replaced by the line between two powers of two, which
/// is monotonic and needs no library.
package struct Popularity: Hashable, Comparable, Sendable {
    package private(set) var rank: Double

    package init(rank: Double) { self.rank = rank }

    /// The rank of one request at a time, in seconds since 1970.
    package init(at seconds: Double) { rank = seconds / SharingLimits.halfLifeSeconds }

    package static func < (left: Popularity, right: Popularity) -> Bool { left.rank < right.rank }

    /// Counts requests at a time.
    package mutating func count(_ requests: Int, at seconds: Double) {
        guard requests > 0 else { return }
        let now = seconds / SharingLimits.halfLifeSeconds
        rank = now + Self.logarithm(Self.power(rank - now) + Double(requests))
    }

    /// Returns the value of keeping it: its rank for each doubling of its size. The least valuable is removed first.
    package func worth(bytes: Int) -> Double { rank - Self.logarithm(Double(max(bytes, 1_024)) / 1_024) }

    /// Returns the number of requests that the rank stands for at a time.
    package func requests(at seconds: Double) -> Double { Self.power(rank - seconds / SharingLimits.halfLifeSeconds) }

    private static func logarithm(_ value: Double) -> Double { Double(value.exponent) + value.significand - 1 }

    private static func power(_ value: Double) -> Double {
        let bounded = min(max(value, -1_000), 1_000)
        let whole = bounded.rounded(.down)
        return Double(sign: .plus, exponent: Int(whole), significand: 1 + bounded - whole)
    }
}
