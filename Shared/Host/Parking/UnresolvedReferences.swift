public import Vocabulary
public import Wire

/// Decides how long a reference to another service's data counts as "not here yet".
///
/// A service cannot distinguish a name that does not exist from one whose event it has not consumed. Therefore an
/// unresolved reference is refused with 425 for `HostLimits.unresolvedSeconds` after it was first requested, and longer
/// while the subscription lags or its lag is unknown. Afterwards the original refusal is returned. Neither is stored
/// under the request's idempotency key, so the same key succeeds once the event is consumed.
public struct UnresolvedReferences: Sendable {
    /// Whether everything up to the last known head of each followed journal is consumed.
    public var isUpToDate = false
    private var since: [String: Instant] = [:]
    /// Oldest first.
    private var order: [String] = []

    /// Creates an empty set of references.
    public init() {}

    /// Returns the refusal to respond with at `now` in place of one that a command threw.
    public mutating func refusal(_ problem: Problem, at now: Instant) -> Problem {
        guard case .unresolved(let reference) = problem.finality else { return problem }
        let first = firstRequest(of: reference, at: now)
        guard !isUpToDate || now.seconds(since: first) < HostLimits.unresolvedSeconds else { return problem }
        return Problem(
            425, "not-here-yet",
            problem.detail + " If it was recorded a moment ago, send the same request again in a second.",
            problem.finality)
    }

    private mutating func firstRequest(of reference: String, at now: Instant) -> Instant {
        if let first = since[reference], first <= now { return first }
        if since.updateValue(now, forKey: reference) == nil { order.append(reference) }
        if order.count > HostLimits.unresolvedReferences { since[order.removeFirst()] = nil }
        return now
    }
}
