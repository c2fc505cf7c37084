public import JSON
public import Vocabulary

/// What the machine's clocks showed, and the time that is trusted whatever the wall clock says: old data is pruned by
/// it alone. `SensorIngest.TrustedClock` has the rules; where the operator accepted the clock, the actor says so.
public struct ClockTrusted: Event, Equatable {
    public static let name = "farm.furrow.journal.clock-trusted.v1"

    /// Where a journal tells of it.
    public static let stream = "clock"
    /// Seconds of running time for which nothing is pruned after the clock was moved or accepted.
    public static let freezeSeconds = 604_800.0

    /// The wall clock.
    public var wall: Instant
    /// Names the start of the machine since which `uptime` counts.
    public var boot: String
    /// Microseconds since that start, sleep included.
    public var uptime: Int64
    /// A time that is known to be past: the last trusted one and the running time since.
    public var trusted: Instant
    /// Seconds of running time for which `trusted` stays as it is, because the wall clock was moved.
    public var frozen: Double

    public init(wall: Instant, boot: String, uptime: Int64, trusted: Instant, frozen: Double) {
        self.wall = wall
        self.boot = boot
        self.uptime = uptime
        self.trusted = trusted
        self.frozen = frozen
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        wall = try json.get("wall")
        boot = try json.get("boot")
        uptime = try json.get("uptime")
        trusted = try json.get("trusted")
        frozen = try json.get("frozen")
    }

    public func write(fields json: inout JSONWriter) {
        json.field("wall", wall)
        json.field("boot", boot)
        json.field("uptime", uptime)
        json.field("trusted", trusted)
        json.field("frozen", frozen)
    }
}
