public import System
public import Vocabulary

/// The clock of all records of an installation: the machine's clock, or a faster one for a demonstration.
///
/// A faster clock starts in the past, stands still until its anchor, and never passes the real time. It may have a
/// gate: a number that the process that replays the past advances, so that the clock waits for a slow machine.
///
/// ```
/// let clock = AdjustableClock("2026-03-01T06:00:00Z*3600", now: AdjustableClock.machine) ?? .real
/// let now = clock.now()
/// ```
public struct AdjustableClock: Sendable {
    /// The time that the clock shows until its anchor.
    public let start: Instant
    private let rate: Double
    private let anchor: Instant
    private var gate: SharedNumber?

    /// The machine's time.
    public static let real = AdjustableClock(start: Instant(microseconds: 0), rate: 1, anchor: Instant(microseconds: 0))

    /// The value of a gate that does not limit the clock.
    public static let open = Int64.max

    private init(start: Instant, rate: Double, anchor: Instant) {
        self.start = start
        self.rate = rate
        self.anchor = anchor
    }

    /// Parses `START*RATE`, or `START*RATE@ANCHOR` as services receive it. At `ANCHOR` (default: `now`) the clock shows
    /// `START` and then runs `RATE` times as fast. Returns nil for any other text, and if the start is after the
    /// anchor.
    public init?(_ text: String, now: Instant) {
        let parts = text.split(separator: "*", maxSplits: 1)
        guard parts.count == 2, let start = Instant(String(parts[0])) else { return nil }
        let rest = parts[1].split(separator: "@", maxSplits: 1)
        guard let rate = rest.first.flatMap({ Double(String($0)) }), rate >= 1, rate <= 10_000_000 else { return nil }
        var anchor = now
        if rest.count == 2 {
            guard let configured = Instant(String(rest[1])) else { return nil }
            anchor = configured
        }
        guard start <= anchor else { return nil }
        self.init(start: start, rate: rate, anchor: anchor)
    }

    /// Returns the same clock limited by a gate.
    public func gated(by gate: SharedNumber) -> AdjustableClock {
        var clock = self
        clock.gate = gate
        return clock
    }

    /// Whether this is the machine's clock.
    public var isReal: Bool { start == Self.real.start }

    /// The text in the form `START*RATE@ANCHOR`, which services receive.
    public var description: String { "\(start)*\(rate)@\(anchor)" }

    /// Returns the time that this clock shows when the machine's clock shows `real`.
    public func reading(at real: Instant) -> Instant {
        let elapsed = max(0, Double(real.microseconds - anchor.microseconds)) * rate
        let isBehind = elapsed < Double(real.microseconds - start.microseconds)
        let free = isBehind ? Instant(microseconds: start.microseconds + Int64(elapsed)) : real
        return gate.map { min(free, Instant(microseconds: $0.value)) } ?? free
    }

    /// Returns how many times as fast as the machine's clock it runs at `real`; 1 once it has reached the real time.
    public func speed(at real: Instant) -> Double {
        reading(at: real) == real ? 1 : rate
    }

    /// Returns the present time of this clock.
    public func now() -> Instant {
        reading(at: Self.machine)
    }

    /// The machine's own time.
    public static var machine: Instant { Instant(microseconds: Clock.realMicroseconds()) }

    /// Returns the clock that `FURROW_CLOCK` and `FURROW_CLOCK_GATE` set, or nil if the text is invalid. Throws if the
    /// gate cannot be read.
    public static func configured(_ environment: [String: String]) throws(SystemError) -> AdjustableClock? {
        guard let text = environment["FURROW_CLOCK"], !text.isEmpty else { return .real }
        guard let clock = AdjustableClock(text, now: machine) else { return nil }
        guard let path = environment["FURROW_CLOCK_GATE"], !path.isEmpty else { return clock }
        return clock.gated(by: try SharedNumber(reading: path))
    }
}
