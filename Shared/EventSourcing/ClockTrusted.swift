public import JSON
public import Vocabulary

/// A reading of the machine's clocks, with the time that is trusted independently of the wall clock.
///
/// Old data is pruned by the trusted time alone. The rules are in `SensorIngest.TrustedClock`. If the operator accepted
/// the wall clock, the operator is the event's actor.
public struct ClockTrusted: Event, Equatable {
    /// The event's name on the wire.
    public static let name = "farm.furrow.journal.clock-trusted.v1"

    /// The stream of these events.
    public static let stream = "clock"
    /// Seconds of running time during which nothing is pruned after the clock was moved or accepted.
    public static let freezeSeconds = 604_800.0

    /// The wall clock's time.
    public var wall: Instant
    /// The identifier of the machine's boot from which `uptime` counts.
    public var boot: String
    /// Microseconds since that boot, including sleep.
    public var uptime: Int64
    /// A time that is certainly in the past: the last trusted time plus the running time since.
    public var trusted: Instant
    /// The remaining seconds of running time for which `trusted` does not advance, because the wall clock was moved.
    public var frozen: Double

    /// Creates the event.
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

    /// Writes the fields of the event's data.
    public func write(fields json: inout JSONWriter) {
        json.field("wall", wall)
        json.field("boot", boot)
        json.field("uptime", uptime)
        json.field("trusted", trusted)
        json.field("frozen", frozen)
    }
}
