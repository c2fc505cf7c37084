import Crypto

/// A source of random bytes: the system's in a service, a seeded one in a simulation.
public struct RandomSource {
    private let draw: (Int) -> [UInt8]
    private var drawn: [UInt8] = []
    private var next = 0

    /// Creates a source from `draw`, which returns the requested number of new bytes.
    public init(_ draw: @escaping (Int) -> [UInt8]) {
        self.draw = draw
    }

    /// The system's random number generator.
    public static var system: RandomSource { RandomSource(Random.bytes) }

    /// Returns `count` random bytes, at most 1,024.
    package mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
        if drawn.count - next < count {
            drawn = draw(StoreLimits.chanceBytes)
            next = 0
        }
        defer { next += count }
        return drawn[next..<min(next + count, drawn.count)]
    }

    /// Returns the number of a new epoch.
    package mutating func epoch() -> UInt64 {
        bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
