package import EventSourcing
import Events
import Host
import JSON
package import Vocabulary
import Wire

/// The state machine that prunes raw reports older than the retention period, one sealed segment after the other,
/// oldest first.
///
/// For each segment it requests from trace-ledger which reports are part of a lot's story. These are retained, as is
/// every event that is no raw report.
///
/// Age is measured by the trusted clock only, whose marks are stored in the journal. Pauses are measured in running
/// time.
package struct Retention: Sendable {
    private enum State: Sendable {
        /// Waits until this time, in seconds since the machine's start.
        case resting(until: Double)
        case scanning
        case requesting(OldReports)
        case pruning(through: Position, since: Double)
    }

    /// Scans the segment behind a position. Returns nil if it is not fully sealed or not all of it was recorded before
    /// a time.
    ///
    /// Slow: it runs on a worker thread.
    typealias Scan = @Sendable (_ after: Position, _ before: Instant) -> OldReports?
    /// Returns the time by which reports may be pruned; nil if none may be pruned now.
    package typealias Horizon = @Sendable (ClockReading, ClockTrusted?) -> Instant?

    /// The retention period in seconds; nil is unlimited.
    private let seconds: Double?
    private let clock: TrustedClock
    private let horizon: Horizon
    /// The newest time in the journal when the process started, if it has no clock mark.
    private let newest: Instant?
    private let scan: Scan
    /// Seconds until a segment that is not old enough is scanned again.
    private let pause: Double
    private var state = State.resting(until: -.infinity)
    /// Seconds since the machine's start.
    private var uptime = 0.0

    /// The token of its work items and requests.
    static let token: UInt64 = 1

    static let unlimited = Retention(days: nil) { _, _ in nil }

    init(days: Int?, newest: Instant? = nil, scan: @escaping Scan) {
        self.init(seconds: days.map { Double($0) * 86_400 }, newest: newest, scan: scan)
    }

    /// - Parameter horizon: A replacement for the trusted clock's rule, for mutation tests.
    init(
        seconds: Double?, clock: TrustedClock = TrustedClock(), horizon: Horizon? = nil, newest: Instant? = nil,
        pause: Double = SensorLimits.retentionPause, scan: @escaping Scan
    ) {
        self.seconds = seconds
        self.pause = pause
        self.clock = clock
        self.horizon = horizon ?? { clock.horizon(at: $0, after: $1) }
        self.newest = newest
        self.scan = scan
    }

    /// Returns the next effects; called about ten times a second.
    ///
    /// - Parameters:
    /// - last: The position up to which the journal was scanned.
    /// - mark: The journal's last clock mark.
    mutating func tend(at reading: ClockReading, after last: Position, mark: ClockTrusted?) -> [Effect] {
        uptime = Double(reading.boot.microseconds) / 1_000_000
        if let next = clock.mark(at: reading, after: mark, newest: newest) {
            return [
                .append([Draft(next, in: ClockTrusted.stream, at: reading.now, by: .service(SensorIngest.name))])
            ]
        }
        guard let seconds else { return [] }
        switch state {
        case .resting(let until) where uptime < until: return []
        case .pruning(let through, let since):
            // The host reports a failed prune to operators; it is tried again later.
            guard last >= through else {
                if uptime - since > SensorLimits.retentionPatience { rest(SensorLimits.retentionRetry) }
                return []
            }
        case .scanning, .requesting: return []
        case .resting: break
        }
        guard let horizon = horizon(reading, mark) else { return [] }
        state = .scanning
        let (scan, before) = (scan, horizon.advanced(bySeconds: -seconds))
        return [.work(token: Self.token) { scan(last, before)?.bytes ?? [] }]
    }

    /// Continues with the result of a scan.
    mutating func scanned(_ result: [UInt8]) -> [Effect] {
        guard case .scanning = state else { return [] }
        guard let old = OldReports(result) else {
            rest(pause)
            return []
        }
        guard old.reports > 0, let from = old.from, let to = old.to else {
            return prune(old, keeping: RetainedReports())
        }
        state = .requesting(old)
        var json = JSONWriter()
        json.object { json in
            json.field("from", from)
            json.field("to", to)
        }
        return [
            .ask(
                OutgoingRequest(
                    LedgerQueryName.keptReports, body: json.bytes, actor: .service(SensorIngest.name),
                    token: Self.token))
        ]
    }

    /// Continues with trace-ledger's response. Without a valid one nothing is pruned.
    mutating func answered(_ outcome: RequestOutcome) -> [Effect] {
        guard case .requesting(let old) = state else { return [] }
        guard case .answer(let answer) = outcome, answer.status == 200, let kept = RetainedReports(answer.body) else {
            rest(SensorLimits.retentionRetry)
            return []
        }
        return prune(old, keeping: kept)
    }

    private mutating func prune(_ old: OldReports, keeping kept: RetainedReports) -> [Effect] {
        state = .pruning(through: old.positions.upperBound, since: uptime)
        return [
            .prune(
                Pruning(old.positions, keeping: kept.spans) { recorded in
                    kept.age(recorded).flatMap { old.spans($0) ? $0 : nil }
                })
        ]
    }

    private mutating func rest(_ seconds: Double) {
        state = .resting(until: uptime + seconds)
    }
}
