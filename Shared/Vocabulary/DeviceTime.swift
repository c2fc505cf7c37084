/// Times as devices and other programs write them.
extension Instant {
    /// Creates the instant of a number of seconds or milliseconds since 1970. Returns nil unless the number lies
    /// between 0 and 1e13.
    ///
    /// Numbers below 1e11 count seconds: as milliseconds they would lie before 1974.
    public init?(secondsOrMilliseconds number: Double) {
        guard number > 0, number < 1e13 else { return nil }
        self.init(microseconds: Int64((number < 1e11 ? number * 1e6 : number * 1e3).rounded()))
    }

    /// Whether the instant can come from a clock that was set: it lies after 2009. Clocks that were not set count from
    /// 1970 or 2000.
    public var isOfSetClock: Bool { microseconds > 1_262_304_000_000_000 }
}
