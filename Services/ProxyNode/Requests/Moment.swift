import System

/// The time of a round of the event loop, by both clocks, in microseconds.
struct Moment: Hashable, Sendable {
    /// Since an unspecified start; never set.
    let monotonic: Int64
    /// Since 1970; may be set.
    let real: Int64

    static var now: Moment {
        Moment(monotonic: Clock.monotonicMicroseconds(), real: Clock.realMicroseconds())
    }
}
