/// Microseconds that never go back, counted from when this clock was made.
struct MonotonicClock: Sendable {
    private let start = SuspendingClock().now

    var microseconds: Int64 {
        let (seconds, attoseconds) = start.duration(to: SuspendingClock().now).components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
