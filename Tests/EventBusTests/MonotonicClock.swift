import System

/// Microseconds since this clock was created.
struct MonotonicClock: Sendable {
    private let start = Clock.monotonicMicroseconds()

    var microseconds: Int64 { Clock.monotonicMicroseconds() - start }
}
