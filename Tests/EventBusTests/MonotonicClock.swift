import System

/// Microseconds since it was made.
struct MonotonicClock: Sendable {
    private let start = Clock.monotonicMicroseconds()

    var microseconds: Int64 { Clock.monotonicMicroseconds() - start }
}
