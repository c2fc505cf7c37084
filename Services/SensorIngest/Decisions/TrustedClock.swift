import EventSourcing
package import Vocabulary

/// The readings of the machine's clocks at one moment.
package struct ClockReading: Sendable {
    /// The time that events are stamped with: the wall clock, or the adjustable clock of a demonstration.
    package let now: Instant
    /// The machine's wall clock, which may be moved at any time.
    package let wall: Instant
    /// The monotonic clock that counts from the machine's start.
    package let boot: BootTime

    package init(now: Instant, wall: Instant, boot: BootTime) {
        self.now = now
        self.wall = wall
        self.boot = boot
    }
}

/// The rule for the time by which reports may be pruned: a pure function of the journal's last clock mark and a
/// reading.
///
/// A wall clock that is ahead looks the same as a right one after a pause. So the trusted time advances from the
/// journal's last mark by running time only, by a day per day at most. After the wall clock was moved it stays fixed
/// for a week. It lags by the time that the machine was off: old data stays longer, and none is pruned too early.
package struct TrustedClock: Sendable {
    /// The difference in seconds between wall clock and running time beyond which the wall clock counts as moved.
    package var stepSeconds = 600.0
    /// The longest expected pause, in seconds, before another start of the machine. A longer one counts as a step.
    package var pauseSeconds = 86_400.0
    /// The seconds of running time after a step in which nothing is pruned.
    package var freezeSeconds = ClockTrusted.freezeSeconds
    /// The seconds of running time between two marks; a restart of the machine loses at most this much.
    package var markSeconds = 3_600.0

    package init() {}

    /// Returns the latest time that is certainly past, or nil while the trusted time is frozen.
    ///
    /// Also returns nil if the last mark was not made since this start of the machine, or the wall clock was moved
    /// since.
    func horizon(at reading: ClockReading, after mark: ClockTrusted?) -> Instant? {
        guard let mark, isSameStart(reading, mark), abs(step(reading, mark)) <= stepSeconds else { return nil }
        let elapsed = elapsed(reading, mark)
        guard elapsed >= mark.frozen else { return nil }
        return min(mark.trusted.advanced(bySeconds: elapsed - mark.frozen), reading.wall, reading.now)
    }

    /// Returns the clock mark that is due, or nil if the last one is still sufficient.
    ///
    /// - Parameter newest: The newest time in a journal that has no mark because an older version wrote it; nil for a
    ///   new journal.
    func mark(at reading: ClockReading, after last: ClockTrusted?, newest: Instant?) -> ClockTrusted? {
        guard let last else {
            let isFar = newest.map { isUnexpected(reading.wall.seconds(since: $0)) } ?? false
            return mark(
                reading, trusted: min(newest ?? reading.wall, reading.wall), frozen: isFar ? freezeSeconds : 0)
        }
        guard isSameStart(reading, last) else {
            let isFar = isUnexpected(reading.wall.seconds(since: last.wall))
            return mark(reading, trusted: last.trusted, frozen: isFar ? freezeSeconds : last.frozen)
        }
        let elapsed = elapsed(reading, last)
        let trusted = last.trusted.advanced(bySeconds: max(0, elapsed - last.frozen))
        if abs(step(reading, last)) > stepSeconds { return mark(reading, trusted: trusted, frozen: freezeSeconds) }
        guard elapsed >= (last.frozen > 0 ? min(last.frozen, markSeconds) : markSeconds) else { return nil }
        guard elapsed >= last.frozen else {
            return mark(reading, trusted: last.trusted, frozen: last.frozen - elapsed)
        }
        // The wall clock was not moved during the freeze, so a trusted time ahead of it was wrong.
        return mark(reading, trusted: min(trusted, reading.wall), frozen: 0)
    }

    private func mark(_ reading: ClockReading, trusted: Instant, frozen: Double) -> ClockTrusted {
        ClockTrusted(
            wall: reading.wall, boot: reading.boot.id, uptime: reading.boot.microseconds, trusted: trusted,
            frozen: frozen)
    }

    private func isSameStart(_ reading: ClockReading, _ mark: ClockTrusted) -> Bool {
        !mark.boot.isEmpty && mark.boot == reading.boot.id && reading.boot.microseconds >= mark.uptime
    }

    /// Whether the wall clock after a start of the machine differs from the last mark by more than a usual pause
    /// explains.
    private func isUnexpected(_ seconds: Double) -> Bool { seconds < -stepSeconds || seconds > pauseSeconds }

    private func elapsed(_ reading: ClockReading, _ mark: ClockTrusted) -> Double {
        Double(reading.boot.microseconds - mark.uptime) / 1_000_000
    }

    private func step(_ reading: ClockReading, _ mark: ClockTrusted) -> Double {
        reading.wall.seconds(since: mark.wall) - elapsed(reading, mark)
    }
}
