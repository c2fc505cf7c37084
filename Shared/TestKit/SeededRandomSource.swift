public import EventStore

extension RandomSource {
    /// Returns a deterministic source of bytes, for the ids and epochs of a simulation.
    public static func seeded(_ seed: UInt64) -> RandomSource {
        var generator = SplitMix64(seed: seed)
        return RandomSource { generator.bytes($0) }
    }
}
