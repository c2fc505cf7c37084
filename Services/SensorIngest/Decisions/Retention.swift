import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// Lets go of raw reports that are older than the farm wants to keep them: one sealed run after the other, the oldest
/// first. Of each run the ledger is asked what is part of a lot's story, and that stays, with everything that is no raw
/// report. Pure.
struct Retention: Sendable {
    /// What a run holds that is old enough.
    struct Survey: Sendable, Equatable {
        var positions: ClosedRange<Position>
        var reports: Int
        /// When the earliest and the latest of these happened; nil where there is none.
        var from: Instant?
        var to: Instant?
    }

    private enum State: Sendable {
        /// Until the machine's own clock says so.
        case resting(until: Instant)
        case surveying
        case asking(Survey)
        case pruning(through: Position, since: Instant)
    }

    /// How many days reports are kept; nil for ever.
    private let days: Int?
    /// Looks at the run behind a position; slow.
    private let survey: @Sendable (_ after: Position, _ before: Instant) -> Survey?
    private var state = State.resting(until: .earliest)

    /// The token of what it has done and asked.
    static let token: UInt64 = 1

    static let forEver = Retention(days: nil) { _, _ in nil }

    /// - Parameter survey: tells of the run behind a position, where all of it is sealed and was recorded before a
    ///   moment; nil where it was not. Called on a worker thread.
    init(days: Int?, survey: @escaping @Sendable (_ after: Position, _ before: Instant) -> Survey?) {
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
        let (survey, before) = (survey, now.advanced(bySeconds: -Double(days) * 86_400))
        return [.work(token: Self.token) { survey(last, before)?.bytes ?? [] }]
    }

    /// What the look at a run gave.
    mutating func surveyed(_ result: [UInt8], at wall: Instant) -> [Effect] {
        guard case .surveying = state else { return [] }
        guard let survey = Survey(result) else {
            rest(Bounds.retentionPause, from: wall)
            return []
        }
        guard survey.reports > 0, let from = survey.from, let to = survey.to else {
            return prune(survey, keeping: Kept(), at: wall)
        }
        state = .asking(survey)
        var json = JSONWriter()
        json.object { json in
            // Whether a report is a repeat depends on those that were heard shortly before and after it.
            json.field("from", from.advanced(bySeconds: -RepeatRule.longestSeconds))
            json.field("to", to.advanced(bySeconds: RepeatRule.longestSeconds))
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
        guard case .asking(let survey) = state else { return [] }
        guard case .answer(let answer) = outcome, answer.status == 200, let kept = Kept(answer.body) else {
            rest(Bounds.retentionRetry, from: wall)
            return []
        }
        return prune(survey, keeping: kept, at: wall)
    }

    private mutating func prune(_ survey: Survey, keeping kept: Kept, at wall: Instant) -> [Effect] {
        state = .pruning(through: survey.positions.upperBound, since: wall)
        return [.prune(Pruning(survey.positions, keeping: kept.spans) { kept.age($0) })]
    }

    private mutating func rest(_ seconds: Double, from wall: Instant) {
        state = .resting(until: wall.advanced(bySeconds: seconds))
    }
}

extension Retention.Survey {
    /// Adds an event of the run.
    mutating func add(_ told: Told) {
        guard told.isRawReport else { return }
        let time = told.envelope.time
        reports += 1
        from = min(from ?? time, time)
        to = max(to ?? time, time)
    }

    fileprivate var bytes: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("first", positions.lowerBound)
            json.field("last", positions.upperBound)
            json.field("reports", reports)
            json.field("from", ifPresent: from)
            json.field("to", ifPresent: to)
        }
        return json.bytes
    }

    fileprivate init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return nil }
        do throws(JSONError) {
            let json = try JSONValue.parse(bytes)
            let (first, last): (Position, Position) = (try json.get("first"), try json.get("last"))
            guard first <= last else { return nil }
            self.init(
                positions: first...last, reports: try json.get("reports"), from: try json.find("from"),
                to: try json.find("to"))
        } catch { return nil }
    }
}

/// What of old reports is part of a story, as the ledger says.
private struct Kept: Sendable {
    var spans: [KeptSpan] = []
    private var times: [DeviceID: [ClosedRange<Instant>]] = [:]
    private var isAll = false

    init() {}

    init?(_ answer: [UInt8]) {
        do throws(JSONError) {
            let json = try JSONValue.parse(answer)
            isAll = try json.find("all") ?? false
            guard !isAll else { return }
            let kept: [KeptDevices] = try json.get("kept")
            for one in kept where one.span.from <= one.span.to {
                spans.append(one.span)
                let time =
                    one.span.from.advanced(
                        bySeconds: -RepeatRule.longestSeconds)...one.span.to.advanced(
                        bySeconds: RepeatRule.longestSeconds)
                for device in one.devices { times[device, default: []].append(time) }
            }
        } catch { return nil }
    }

    /// When it happened, if it is a raw report and in no story.
    func age(_ told: Told) -> Instant? {
        guard !isAll, let device = told.reportingDevice else { return nil }
        let time = told.envelope.time
        return times[device]?.contains { $0.contains(time) } == true ? nil : time
    }
}

private struct KeptDevices: JSONReadable {
    let span: KeptSpan
    let devices: [DeviceID]

    init(json: borrowing JSONValue) throws(JSONError) {
        span = try KeptSpan(json: json)
        devices = try json.get("devices")
    }
}

extension Told {
    /// Whose raw report it is; nil for every other fact.
    fileprivate var reportingDevice: DeviceID? {
        switch fact {
        case .sensors(.measured(let report)): report.device
        case .sensors(.rawReported(let report)): report.device
        case .sensors(.beaconHeard(let report)): report.device
        default: nil
        }
    }

    fileprivate var isRawReport: Bool { reportingDevice != nil }
}
