public import EventSourcing
import JSON
public import Vocabulary
import Wire

/// Detects that the machine's wall clock was set. Pure.
///
/// Either it no longer advances with the clock that counts from the machine's start, or it stays behind the times that
/// the journal recorded before the process started.
public struct ClockJumpDetector {
    /// The smallest step that is recorded, in seconds.
    static let secondsAtLeast = 60.0
    /// Seconds that a machine gets after its start to obtain the time from its network.
    static let secondsToSettle = 600.0
    /// The last entries of a journal that are searched for the time of its clock.
    static let entriesRead: Position = 64

    private var last: (wall: Int64, boot: Int64)?
    /// The last time that the journal recorded, until the clock is known to have reached it again.
    private var before: Instant?
    private var began: Int64?

    /// - Parameter before: the newest time that the journal recorded by its clock.
    init(before: Instant? = nil) {
        self.before = before
    }

    /// Returns the seconds by which the wall clock was set since the last call, or before the process started. Returns
    /// nil if the step is too small to record.
    ///
    /// - Parameters:
    ///   - wall: microseconds since 1970.
    ///   - boot: microseconds of a clock that cannot be set and that continues while the machine sleeps.
    mutating func step(wall: Int64, boot: Int64) -> Double? {
        defer { last = (wall, boot) }
        guard let last else {
            began = boot
            return nil
        }
        let seconds = Double((wall - last.wall) - (boot - last.boot)) / 1_000_000
        if abs(seconds) > Self.secondsAtLeast { return seconds }
        return stepBefore(wall: wall, boot: boot)
    }

    /// Returns how far the clock is behind the journal's last recorded time, once it has had time to be corrected.
    private mutating func stepBefore(wall: Int64, boot: Int64) -> Double? {
        guard let before, let began, Double(boot - began) / 1_000_000 >= Self.secondsToSettle else { return nil }
        self.before = nil
        let seconds = Double(wall - before.microseconds) / 1_000_000
        return seconds < 0 ? seconds - Self.secondsToSettle : nil
    }

    /// Returns the draft of the step, at the time of the clock as it is now. Recorded times continue after the former
    /// clock if that was ahead.
    static func drafts(_ seconds: Double, at now: Instant, by service: String) -> [Draft] {
        [Draft(ClockStepped(seconds: seconds), in: "journal", at: now, by: .service(service))]
    }

    /// Returns the newest time that the end of a journal records by the clock that wrote it; nil if there is none.
    ///
    /// Event times that people enter may be in the future, and recorded times stay ahead of a clock that was set back.
    /// So the earlier of the two is what the clock had reached.
    public static func newest(in log: any EventLog) throws(LogFailure) -> Instant? {
        let head = log.head.position
        let first = head > entriesRead ? head - entriesRead + 1 : 1
        var newest: Instant?
        for entry in try log.reader().read(from: first, events: Int(entriesRead), bytes: .max) {
            guard let envelope = envelope(of: entry) else { continue }
            let reached = min(envelope.time, envelope.recorded)
            // A clock step and a new epoch record what the clock was from there on.
            let isReset = envelope.name == ClockStepped.name || envelope.name == EpochBegan.name
            newest = isReset ? reached : max(newest ?? reached, reached)
        }
        return newest
    }

    /// Returns nil for a pruned entry and for one that is not an event; the projection reports the latter.
    private static func envelope(of entry: Entry) -> Envelope? {
        do throws(JSONError) { return try EnvelopeCodec.read(entry.bytes).envelope } catch { return nil }
    }
}
