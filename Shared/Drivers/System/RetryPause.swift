/// The pause before the next attempt: twice as long after each failure, up to a limit, and half of it random so that
/// many clients do not return to a server at the same moment.
///
/// ```
/// var pause = RetryPause(first: 1_000_000, longest: 60_000_000)
/// guard pause.isOver(at: now) else { return }
/// if send() { pause.succeed() } else { pause.fail(at: now) }
/// ```
public struct RetryPause: Hashable, Sendable {
    private let first: Int64
    private let longest: Int64
    private var failures = 0
    private var end: Int64 = 0

    /// Creates a pause that is over; both lengths are in microseconds.
    public init(first: Int64, longest: Int64) {
        self.first = first
        self.longest = longest
    }

    /// Returns whether the next attempt may be made at a monotonic time in microseconds.
    public func isOver(at now: Int64) -> Bool { now >= end }

    /// Starts a pause at a monotonic time.
    public mutating func fail(at now: Int64, random: (ClosedRange<Int64>) -> Int64 = { .random(in: $0) }) {
        let pause = failures < 32 ? min(first << Int64(failures), longest) : longest
        end = now + random(pause / 2...pause)
        failures += 1
    }

    /// Ends the pause; the next one is the first again.
    public mutating func succeed() { (failures, end) = (0, 0) }
}
