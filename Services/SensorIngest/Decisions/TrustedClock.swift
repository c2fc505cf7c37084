import EventSourcing
package import Vocabulary

/// What the clocks show at one moment.
package struct ClockReading: Sendable {
    /// What events are stamped with: the wall clock, or a demonstration's.
    package let now: Instant
    /// The machine's wall clock, which anything may move.
    package let wall: Instant
    /// The clock that counts from the machine's start.
    package let boot: BootTime

    package init(now: Instant, wall: Instant, boot: BootTime) {
        self.now = now
        self.wall = wall
        self.boot = boot
    }
}

/// Decides which time may be trusted to prune by. Pure: a function of the journal's last mark and of a reading.
///
/// A wall clock that is ahead cannot be told from one that is right after a pause. So the trusted time goes on from the
/// last mark of the journal by running time alone, at most a day a day, and stays for a week after the wall clock was
/// moved. It lags behind by the time that the machine was off: old data stays longer, and none is pruned too early.
package struct TrustedClock: Sendable {
    /// The wall clock was moved if it and the running time differ by more than this.
    package var stepSeconds = 600.0
    /// Another start of the machine is expected within this time; a longer pause counts as a step.
    package var pauseSeconds = 86_400.0
    /// Running time for which nothing is pruned after a step.
    package var freezeSeconds = ClockTrusted.freezeSeconds
    /// Running time between two marks: a start of the machine loses at most as much.
    package var markSeconds = 3_600.0

    package init() {}

    /// Returns the latest time that is known to be past; nil without a mark of this start of the machine, and while the
    /// trusted time stays.
    func horizon(at reading: ClockReading, after mark: ClockTrusted?) -> Instant? {
        guard let mark, isSameStart(reading, mark), abs(step(reading, mark)) <= stepSeconds else { return nil }
        let elapsed = elapsed(reading, mark)
        guard elapsed >= mark.frozen else { return nil }
        return min(mark.trusted.advanced(bySeconds: elapsed - mark.frozen), reading.wall, reading.now)
    }

    /// Returns the mark that is due; nil while the last one holds.
    ///
    /// - Parameter newest: for a journal without a mark: what its clock had reached, from a build that made none; nil
    ///   for a new journal.
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
        // The wall clock has held for as long as it had to: where the trusted time was ahead of it, it was wrong.
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

    /// Whether a start of the machine finds the wall clock where the pause before it does not explain it.
    private func isUnexpected(_ seconds: Double) -> Bool { seconds < -stepSeconds || seconds > pauseSeconds }

    private func elapsed(_ reading: ClockReading, _ mark: ClockTrusted) -> Double {
        Double(reading.boot.microseconds - mark.uptime) / 1_000_000
    }

    private func step(_ reading: ClockReading, _ mark: ClockTrusted) -> Double {
        reading.wall.seconds(since: mark.wall) - elapsed(reading, mark)
    }
}
