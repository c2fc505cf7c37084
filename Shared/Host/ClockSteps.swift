import EventSourcing
import Vocabulary

/// Notices that the machine's wall clock was moved: it and the one that counts from its start no longer go
/// together. Pure.
struct ClockSteps {
    /// The least that is told.
    static let secondsAtLeast = 60.0

    private var last: (wall: Int64, boot: Int64)?

    /// Seconds that the wall clock was moved by since the last call, if it is worth telling.
    ///
    /// - Parameters:
    ///   - wall: microseconds since 1970.
    ///   - boot: microseconds of a clock that nobody moves, and that goes on while the machine sleeps.
    mutating func step(wall: Int64, boot: Int64) -> Double? {
        defer { last = (wall, boot) }
        guard let last else { return nil }
        let seconds = Double((wall - last.wall) - (boot - last.boot)) / 1_000_000
        return abs(seconds) > Self.secondsAtLeast ? seconds : nil
    }

    /// It happened by the clock as it is now: records go on by the clock as it was, where that was ahead.
    static func drafts(_ seconds: Double, at now: Instant, by service: String) -> [Draft] {
        [Draft(ClockStepped(seconds: seconds), in: "journal", at: now, by: .service(service))]
    }
}
