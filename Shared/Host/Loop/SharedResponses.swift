import Crypto
import EventSourcing
import Vocabulary

/// Responses that are the same for every caller, each stored with its tag until the tables or the time change it.
///
/// A tag names the state that a response was first computed from: the run of this thread, the position of the views,
/// and the time at which the response changes by itself. A recomputed response that is equal retains its tag, so
/// unrelated events leave every cached copy valid.
struct SharedResponses {
    private struct QueryKey: Hashable {
        let verb: String
        let body: [UInt8]
    }

    private struct StoredResponse {
        let answer: Response
        let position: Int64
        let computed: Instant
        let until: Instant?

        func holds(at now: Instant, _ position: Int64) -> Bool {
            // After the clock was set back, an offer may be open again.
            self.position == position && computed <= now && until.map { now < $0 } ?? true
        }
    }

    /// Identifies this run. After a restore positions repeat, and another build may compute other responses from the
    /// same tables.
    private let runID = Hex.encode(Random.bytes(4))
    private var stored: [QueryKey: StoredResponse] = [:]
    private(set) var bytes = 0

    var count: Int { stored.count }

    /// Returns the response, or "unchanged" if the caller has its tag.
    ///
    /// - Parameter position: the position of the views; nothing is stored while it is unknown (negative).
    mutating func answer(
        to ask: Request, at now: Instant, _ position: Int64, computing: () -> QueryAnswer
    ) -> Response {
        let key = QueryKey(verb: ask.verb, body: ask.body)
        let answer: Response
        if let known = stored[key], known.holds(at: now, position) {
            answer = known.answer
        } else {
            answer = store(computing(), as: key, at: now, position)
        }
        guard let tag = answer.tag, ask.known.contains(tag) || ask.known.contains("*") else { return answer }
        return .unchanged(tag: tag)
    }

    private mutating func store(
        _ computed: QueryAnswer, as key: QueryKey, at now: Instant, _ position: Int64
    ) -> Response {
        let before = forget(key)
        guard computed.answer.status == 200, position >= 0 else { return computed.answer }
        let tag =
            before.flatMap { $0.body == computed.answer.body ? $0.tag : nil }
            ?? "\(runID)-\(position)-\(computed.until?.microseconds ?? 0)"
        let answer = Response(status: 200, body: computed.answer.body, tag: tag)
        guard answer.body.count <= HostLimits.sharedAnswerBytes else { return answer }
        stored[key] = StoredResponse(answer: answer, position: position, computed: now, until: computed.until)
        bytes += answer.body.count
        while stored.count > HostLimits.sharedAnswers || bytes > HostLimits.sharedAnswerBytes,
            let other = stored.keys.first(where: { $0 != key })
        {
            forget(other)
        }
        return answer
    }

    @discardableResult
    private mutating func forget(_ key: QueryKey) -> Response? {
        let answer = stored.removeValue(forKey: key)?.answer
        bytes -= answer?.body.count ?? 0
        return answer
    }
}
