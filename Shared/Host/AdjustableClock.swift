public import System
public import Vocabulary

/// The time that everything of one house is stamped with: the machine's, or for a demonstration a faster one that
/// starts in the past, stands still until its anchor, and never passes now.
///
/// A faster clock may have a gate: a number that whoever plays the past moves on as it goes, so that the clock waits
/// for a slow machine instead of running away from what happens.
public struct AdjustableClock: Sendable {
    /// What it shows until its anchor.
    public let start: Instant
    private let rate: Double
    private let anchor: Instant
    private var gate: SharedNumber?

    /// The machine's time.
    public static let real = AdjustableClock(start: Instant(microseconds: 0), rate: 1, anchor: Instant(microseconds: 0))

    /// A gate that holds nothing back.
    public static let open = Int64.max

    private init(start: Instant, rate: Double, anchor: Instant) {
        self.start = start
        self.rate = rate
        self.anchor = anchor
    }

    /// Reads `START*RATE` or, as services are told it, `START*RATE@ANCHOR`: at `ANCHOR` (else at `now`) the clock
    /// shows `START` and runs `RATE` times as fast. Nil for anything else, and for a start after the anchor.
    public init?(_ text: String, now: Instant) {
        let parts = text.split(separator: "*", maxSplits: 1)
        guard parts.count == 2, let start = Instant(String(parts[0])) else { return nil }
        let rest = parts[1].split(separator: "@", maxSplits: 1)
        guard let rate = rest.first.flatMap({ Double(String($0)) }), rate >= 1, rate <= 10_000_000 else { return nil }
        var anchor = now
        if rest.count == 2 {
            guard let told = Instant(String(rest[1])) else { return nil }
            anchor = told
        }
        guard start <= anchor else { return nil }
        self.init(start: start, rate: rate, anchor: anchor)
    }

    /// The same clock behind a gate.
    public func gated(by gate: SharedNumber) -> AdjustableClock {
        var clock = self
        clock.gate = gate
        return clock
    }

    public var isReal: Bool { start == Self.real.start }

    /// As services are told it.
    public var description: String { "\(start)*\(rate)@\(anchor)" }

    /// What this clock shows when the machine's shows `real`.
    public func reading(at real: Instant) -> Instant {
        let elapsed = max(0, Double(real.microseconds - anchor.microseconds)) * rate
        let isBehind = elapsed < Double(real.microseconds - start.microseconds)
        let free = isBehind ? Instant(microseconds: start.microseconds + Int64(elapsed)) : real
        return gate.map { min(free, Instant(microseconds: $0.value)) } ?? free
    }

    /// How many times as fast as the machine's clock it runs at that moment; 1 once it met now.
    public func speed(at real: Instant) -> Double {
        reading(at: real) == real ? 1 : rate
    }

    public func now() -> Instant {
        reading(at: Self.machine)
    }

    /// The machine's own time.
    public static var machine: Instant { Instant(microseconds: Clock.realMicroseconds()) }

    /// The clock that a process of a house is told of by its environment; nil if it makes no sense.
    public static func told(_ environment: [String: String]) throws(SystemError) -> AdjustableClock? {
        guard let text = environment["FURROW_CLOCK"], !text.isEmpty else { return .real }
        guard let clock = AdjustableClock(text, now: machine) else { return nil }
        guard let path = environment["FURROW_CLOCK_GATE"], !path.isEmpty else { return clock }
        return clock.gated(by: try SharedNumber(reading: path))
    }
}
