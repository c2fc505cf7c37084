public import EventStore

extension Chance {
    /// The same bytes for the same seed: ids and epochs of a simulation.
    public static func seeded(_ seed: UInt64) -> Chance {
        var generator = SplitMix64(seed: seed)
        return Chance { generator.bytes($0) }
    }
}
