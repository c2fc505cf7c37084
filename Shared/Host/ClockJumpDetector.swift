public import EventSourcing
import JSON
public import Vocabulary
import Wire

/// Notices that the machine's wall clock was moved: it and the one that counts from its start no longer go
/// together, or it stays behind what the journal was told by it before the process started. Pure.
public struct ClockJumpDetector {
    /// The least that is told.
    static let secondsAtLeast = 60.0
    /// A machine that has just started may have to ask its network for the time first.
    static let secondsToSettle = 600.0
    /// The last entries of a journal, of which some tell what the clock was.
    static let entriesRead: Position = 64

    private var last: (wall: Int64, boot: Int64)?
    /// What the clock had been when it wrote last, until it is known to have come back to that.
    private var before: Instant?
    private var began: Int64?

    /// - Parameter before: the newest moment that the journal tells by its clock.
    init(before: Instant? = nil) {
        self.before = before
    }

    /// Seconds that the wall clock was moved by since the last call, or before the process started, if it is worth
    /// telling.
    ///
    /// - Parameters:
    ///   - wall: microseconds since 1970.
    ///   - boot: microseconds of a clock that nobody moves, and that goes on while the machine sleeps.
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

    /// How far the clock is behind what the journal was told, once it has had the time to come back to that.
    private mutating func stepBefore(wall: Int64, boot: Int64) -> Double? {
        guard let before, let began, Double(boot - began) / 1_000_000 >= Self.secondsToSettle else { return nil }
        self.before = nil
        let seconds = Double(wall - before.microseconds) / 1_000_000
        return seconds < 0 ? seconds - Self.secondsToSettle : nil
    }

    /// It happened by the clock as it is now: records go on by the clock as it was, where that was ahead.
    static func drafts(_ seconds: Double, at now: Instant, by service: String) -> [Draft] {
        [Draft(ClockStepped(seconds: seconds), in: "journal", at: now, by: .service(service))]
    }

    /// The newest moment that the end of a journal tells by the clock that wrote it; nil if it tells none.
    ///
    /// What people say happened may lie ahead, and records go on ahead of a clock that was set back: the earlier of
    /// the two is what a clock had reached.
    public static func newest(in log: any EventLog) throws(LogFailure) -> Instant? {
        let head = log.head.position
        let first = head > entriesRead ? head - entriesRead + 1 : 1
        var newest: Instant?
        for entry in try log.reader().read(from: first, events: Int(entriesRead), bytes: .max) {
            guard let envelope = envelope(of: entry) else { continue }
            let told = min(envelope.time, envelope.recorded)
            // A step, and a new epoch, say what the clock was from there on.
            let isReset = envelope.name == ClockStepped.name || envelope.name == EpochBegan.name
            newest = isReset ? told : max(newest ?? told, told)
        }
        return newest
    }

    /// Nil of what was let go of, and of what is no event: whoever folds says so.
    private static func envelope(of entry: Entry) -> Envelope? {
        do throws(JSONError) { return try EnvelopeCodec.read(entry.bytes).envelope } catch { return nil }
    }
}
