import EventSourcing
import Host

/// The effects of decisions, whose number of events is limited.
extension SensorIngest {
    /// Returns effects that are committed together.
    static func appending(_ drafts: [Draft]) -> [Effect] {
        stride(from: 0, to: drafts.count, by: EventLimits.decisionEvents).map { start in
            .append(Array(drafts[start..<min(start + EventLimits.decisionEvents, drafts.count)]))
        }
    }

    /// Returns effects that are committed together; the response is part of the last one.
    static func settling(_ ask: Request, _ outcome: (drafts: [Draft], answer: Response)) -> [Effect] {
        var parts = appending(outcome.drafts)
        guard case .append(let last)? = parts.popLast() else { return [.settle(ask, [], outcome.answer)] }
        return parts + [.settle(ask, last, outcome.answer)]
    }
}
