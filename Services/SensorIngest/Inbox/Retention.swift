import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// Lets go of raw reports that are older than the farm wants to keep them: one sealed run after the other, the oldest
/// first. Of each run the ledger is asked what is part of a lot's story, and that stays, with everything that is no raw
/// report.
struct Retention: Sendable {
    private enum State: Sendable {
        /// Until the machine's own clock says so.
        case resting(until: Instant)
        case surveying
        case asking(OldReports)
        case pruning(through: Position, since: Instant)
    }

    /// How many days reports are kept; nil for ever.
    private let days: Int?
    /// Looks at the run behind a position; slow.
    private let survey: @Sendable (_ after: Position, _ before: Instant) -> OldReports?
    private var state = State.resting(until: .earliest)

    /// The token of what it has done and asked.
    static let token: UInt64 = 1

    static let forEver = Retention(days: nil) { _, _ in nil }

    /// - Parameter survey: tells of the run behind a position, where all of it is sealed and was recorded before a
    ///   moment; nil where it was not. Called on a worker thread.
    init(days: Int?, survey: @escaping @Sendable (_ after: Position, _ before: Instant) -> OldReports?) {
        self.days = days
        self.survey = survey
    }

    /// About ten times a second. `last` is how far the journal was looked at.
    mutating func tend(at now: Instant, wall: Instant, after last: Position) -> [Effect] {
        guard let days else { return [] }
        switch state {
        case .resting(let until) where wall < until: return []
        case .pruning(let through, let since):
            // One that failed is told to operators by the host, and tried again later.
            guard last >= through else {
                if wall.seconds(since: since) > Bounds.retentionPatience { rest(Bounds.retentionRetry, from: wall) }
                return []
            }
        case .surveying, .asking: return []
        case .resting: break
        }
        state = .surveying
        // Records go on ahead of a clock that was set back: neither of the two makes a report older than it is.
        let (survey, before) = (survey, min(now, wall).advanced(bySeconds: -Double(days) * 86_400))
        return [.work(token: Self.token) { survey(last, before)?.bytes ?? [] }]
    }

    /// What the look at a run gave.
    mutating func surveyed(_ result: [UInt8], at wall: Instant) -> [Effect] {
        guard case .surveying = state else { return [] }
        guard let old = OldReports(result) else {
            rest(Bounds.retentionPause, from: wall)
            return []
        }
        guard old.reports > 0, let from = old.from, let to = old.to else {
            return prune(old, keeping: KeptReports(), at: wall)
        }
        state = .asking(old)
        var json = JSONWriter()
        json.object { json in
            json.field("from", from)
            json.field("to", to)
        }
        return [
            .ask(
                Outgoing(
                    to: "trace-ledger", verb: "kept-reports", body: json.bytes, actor: .service(SensorIngest.name),
                    token: Self.token))
        ]
    }

    /// What the ledger said of it; without a clear word nothing is let go.
    mutating func answered(_ outcome: AskOutcome, at wall: Instant) -> [Effect] {
        guard case .asking(let old) = state else { return [] }
        guard case .answer(let answer) = outcome, answer.status == 200, let kept = KeptReports(answer.body) else {
            rest(Bounds.retentionRetry, from: wall)
            return []
        }
        return prune(old, keeping: kept, at: wall)
    }

    private mutating func prune(_ old: OldReports, keeping kept: KeptReports, at wall: Instant) -> [Effect] {
        state = .pruning(through: old.positions.upperBound, since: wall)
        return [
            .prune(
                Pruning(old.positions, keeping: kept.spans) { told in
                    kept.age(told).flatMap { old.spans($0) ? $0 : nil }
                })
        ]
    }

    private mutating func rest(_ seconds: Double, from wall: Instant) {
        state = .resting(until: wall.advanced(bySeconds: seconds))
    }
}
