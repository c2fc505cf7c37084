public import EventStore

extension RandomSource {
    /// The same bytes for the same seed: ids and epochs of a simulation.
    public static func seeded(_ seed: UInt64) -> RandomSource {
        var generator = SplitMix64(seed: seed)
        return RandomSource { generator.bytes($0) }
    }
}
