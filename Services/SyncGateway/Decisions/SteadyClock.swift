import Vocabulary

/// Notices that the wall clock was moved between two looks, so that sessions are not removed by a clock that is ahead
/// for a while.
struct SteadyClock {
    /// Seconds by which the wall clock and the running time may differ.
    static let secondsApart = 600.0

    private var last: (wall: Instant, boot: BootTime)?

    /// Whether the wall clock has gone on as long as the machine has run since the last look. The first look only
    /// notes. A caller that knows no running time is taken at its word.
    mutating func isSteady(_ wall: Instant, _ boot: BootTime?) -> Bool {
        guard let boot else { return true }
        defer { last = (wall, boot) }
        guard let last else { return false }
        let run = Double(boot.microseconds - last.boot.microseconds) / 1_000_000
        return abs(wall.seconds(since: last.wall) - run) <= Self.secondsApart
    }
}
