package import EventSourcing
import Events
import Host
import JSON
package import Vocabulary
import Wire

/// Prunes raw reports that are older than the farm wants to keep them: one sealed run after the other, the oldest
/// first. Of each run the ledger is asked what is part of a lot's story, and that stays, with everything that is no raw
/// report.
///
/// How old a report is says the trusted clock alone, which it marks in the journal; pauses are counted in running time.
package struct Retention: Sendable {
    private enum State: Sendable {
        /// Until so many seconds after the machine's start.
        case resting(until: Double)
        case surveying
        case asking(OldReports)
        case pruning(through: Position, since: Double)
    }

    /// Looks at the run behind a position; nil where not all of it is sealed and was recorded before a moment. Slow:
    /// called on a worker thread.
    typealias Survey = @Sendable (_ after: Position, _ before: Instant) -> OldReports?
    /// Decides by which time reports are pruned; nil for none now.
    package typealias Horizon = @Sendable (ClockReading, ClockTrusted?) -> Instant?

    /// For how many seconds reports are kept; nil for ever.
    private let seconds: Double?
    private let clock: TrustedClock
    private let horizon: Horizon
    /// What the journal's clock had reached when the process started, if it has no mark.
    private let newest: Instant?
    private let survey: Survey
    /// Seconds until a run is looked at again that is not old enough.
    private let pause: Double
    private var state = State.resting(until: -.infinity)
    /// Seconds since the machine's start.
    private var uptime = 0.0

    /// The token of what it has done and asked.
    static let token: UInt64 = 1

    static let forEver = Retention(days: nil) { _, _ in nil }

    init(days: Int?, newest: Instant? = nil, survey: @escaping Survey) {
        self.init(seconds: days.map { Double($0) * 86_400 }, newest: newest, survey: survey)
    }

    /// - Parameter horizon: another rule than the trusted clock's, for mutants.
    init(
        seconds: Double?, clock: TrustedClock = TrustedClock(), horizon: Horizon? = nil, newest: Instant? = nil,
        pause: Double = SensorLimits.retentionPause, survey: @escaping Survey
    ) {
        self.seconds = seconds
        self.pause = pause
        self.clock = clock
        self.horizon = horizon ?? { clock.horizon(at: $0, after: $1) }
        self.newest = newest
        self.survey = survey
    }

    /// About ten times a second. `last` is how far the journal was looked at, `mark` what it tells of its clocks.
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
            // One that failed is told to operators by the host, and tried again later.
            guard last >= through else {
                if uptime - since > SensorLimits.retentionPatience { rest(SensorLimits.retentionRetry) }
                return []
            }
        case .surveying, .asking: return []
        case .resting: break
        }
        guard let horizon = horizon(reading, mark) else { return [] }
        state = .surveying
        let (survey, before) = (survey, horizon.advanced(bySeconds: -seconds))
        return [.work(token: Self.token) { survey(last, before)?.bytes ?? [] }]
    }

    /// What the look at a run gave.
    mutating func surveyed(_ result: [UInt8]) -> [Effect] {
        guard case .surveying = state else { return [] }
        guard let old = OldReports(result) else {
            rest(pause)
            return []
        }
        guard old.reports > 0, let from = old.from, let to = old.to else {
            return prune(old, keeping: RetainedReports())
        }
        state = .asking(old)
        var json = JSONWriter()
        json.object { json in
            json.field("from", from)
            json.field("to", to)
        }
        return [
            .ask(
                OutgoingRequest(
                    to: "trace-ledger", verb: "kept-reports", body: json.bytes, actor: .service(SensorIngest.name),
                    token: Self.token))
        ]
    }

    /// What the ledger said of it; without a clear word nothing is pruned.
    mutating func answered(_ outcome: RequestOutcome) -> [Effect] {
        guard case .asking(let old) = state else { return [] }
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
                Pruning(old.positions, keeping: kept.spans) { told in
                    kept.age(told).flatMap { old.spans($0) ? $0 : nil }
                })
        ]
    }

    private mutating func rest(_ seconds: Double) {
        state = .resting(until: uptime + seconds)
    }
}
