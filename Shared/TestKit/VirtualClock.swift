import Synchronization
public import Vocabulary

/// A clock that moves only when a test sets it, forwards or backwards.
public final class VirtualClock: Sendable {
    private let microseconds: Mutex<Int64>

    /// Starts at a moment of the farming year 2026 by default.
    public init(at start: Instant = Instant(microseconds: 1_777_792_500_000_000)) {
        microseconds = Mutex(start.microseconds)
    }

    /// The current time.
    public var now: Instant { Instant(microseconds: microseconds.withLock { $0 }) }

    /// Moves the clock and returns the new time.
    @discardableResult
    public func advance(bySeconds seconds: Double) -> Instant {
        let step = Int64((seconds * 1_000_000).rounded())
        return Instant(
            microseconds: microseconds.withLock { now in
                now += step
                return now
            })
    }

    /// Sets the clock to a time.
    public func set(to instant: Instant) {
        microseconds.withLock { $0 = instant.microseconds }
    }
}
