import EventSourcing

/// Notices that the machine's wall clock was moved: it and the monotonic clock no longer go together. Pure.
struct ClockSteps {
    /// The least that is told.
    static let secondsAtLeast = 60.0

    private var last: (wall: Int64, monotonic: Int64)?

    /// Seconds that the wall clock was moved by since the last call, if it is worth telling.
    ///
    /// - Parameters:
    ///   - wall: microseconds since 1970.
    ///   - monotonic: microseconds of a clock that nobody moves.
    mutating func step(wall: Int64, monotonic: Int64) -> Double? {
        defer { last = (wall, monotonic) }
        guard let last else { return nil }
        let seconds = Double((wall - last.wall) - (monotonic - last.monotonic)) / 1_000_000
        return abs(seconds) > Self.secondsAtLeast ? seconds : nil
    }

    static func drafts(_ seconds: Double, by service: String) -> [Draft] {
        [Draft(ClockStepped(seconds: seconds), in: "journal", by: .service(service))]
    }
}
