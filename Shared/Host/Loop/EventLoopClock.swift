import EventSourcing
import JSON
import System
import Telemetry
import Vocabulary
import Wire

/// The operator's declaration that the machine's clock is right.
extension EventLoop {
    /// Seconds by which the operator's clock and the service's may differ.
    private static var secondsApart: Double { 60 }

    /// Returns the time of the last recorded entry. With `accept`, first begins a new epoch whose recorded times begin
    /// at the present wall clock. Throws a problem if the clocks of this service and of the operator differ.
    func clock(_ body: RequestBody) throws -> Response {
        guard clock.isReal else {
            throw Problem(409, "own-clock", "This farm server runs by a clock of its own (run --clock).")
        }
        let wall = AdjustableClock.machine
        let apart = wall.seconds(since: try body.get("wall"))
        guard abs(apart) <= Self.secondsApart else {
            throw Problem(
                409, "clocks-differ",
                "The clock of \(configuration.origin) differs by \(Int(apart)) s; set the clocks of all machines first."
            )
        }
        let newest = try newestRecorded()
        if try body.find("accept") == true { try acceptClock(at: wall) }
        let head = runtime.log.head
        return .made { json in
            json.field("origin", head.feed)
            json.field("epoch", head.epoch)
            json.field("position", head.position)
            json.field("newest", ifPresent: newest)
        }
    }

    private func acceptClock(at wall: Instant) throws {
        if let refusal = runtime.refusal { throw refusal }
        let boot = BootTime.now(bootID)
        let trusted = ClockTrusted(
            wall: wall, boot: boot.id, uptime: boot.microseconds, trusted: wall, frozen: ClockTrusted.freezeSeconds)
        let monotonic = Clock.monotonicMicroseconds()
        for effect in try runtime.commit() { release(effect, monotonic) }
        let effects = try runtime.beginEpoch(why: "the operator accepted the clock", trusting: trusted, at: wall)
        for effect in effects { release(effect, monotonic) }
        // The former clock is no longer relevant.
        steps = ClockJumpDetector()
        log.notice("clock accepted", ["wall": wall.description, "epoch": runtime.log.head.epoch.description])
    }

    /// Returns when the last entry was recorded; nil if it is pruned.
    private func newestRecorded() throws -> Instant? {
        guard let last = try runtime.log.reader().read(from: runtime.log.head.position, events: 1, bytes: .max).first,
            !last.isPruned
        else { return nil }
        return try EnvelopeCodec.read(last.bytes).envelope.recorded
    }
}
