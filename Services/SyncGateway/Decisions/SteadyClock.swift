import Vocabulary

/// Detects that the wall clock was set between two checks, so that a clock that is temporarily ahead does not expire
/// sessions.
struct SteadyClock {
    /// The seconds by which wall clock and uptime may differ.
    static let secondsApart = 600.0

    private var last: (wall: Instant, boot: BootTime)?

    /// Returns whether the wall clock has advanced as much as the machine's uptime since the last check. The first
    /// check returns false. Without an uptime, returns true.
    mutating func isSteady(_ wall: Instant, _ boot: BootTime?) -> Bool {
        guard let boot else { return true }
        defer { last = (wall, boot) }
        guard let last else { return false }
        let run = Double(boot.microseconds - last.boot.microseconds) / 1_000_000
        return abs(wall.seconds(since: last.wall) - run) <= Self.secondsApart
    }
}
