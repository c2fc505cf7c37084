import Crypto

/// Where random bytes come from: the system's for a service, a seed's in a simulation.
public struct RandomSource {
    private let draw: (Int) -> [UInt8]
    private var drawn: [UInt8] = []
    private var next = 0

    /// `draw` gives so many fresh bytes.
    public init(_ draw: @escaping (Int) -> [UInt8]) {
        self.draw = draw
    }

    /// The system's randomness.
    public static var system: RandomSource { RandomSource(Random.bytes) }

    /// `count` bytes, at most 1,024.
    package mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
        if drawn.count - next < count {
            drawn = draw(StoreLimits.chanceBytes)
            next = 0
        }
        defer { next += count }
        return drawn[next..<min(next + count, drawn.count)]
    }

    package mutating func epoch() -> UInt64 {
        bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
