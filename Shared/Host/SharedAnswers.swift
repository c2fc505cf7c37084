import Crypto
import EventSourcing
import Vocabulary

/// Answers that are the same for every caller, each kept with its tag until the tables or the time change it.
///
/// A tag names the state that an answer was first computed from: the life of this thread, the position of the views
/// and the moment at which time alone changes the answer. An answer that is computed again and is the same keeps its
/// tag, so events that do not concern it leave every copy of it valid.
struct SharedAnswers {
    private struct Question: Hashable {
        let verb: String
        let body: [UInt8]
    }

    private struct Kept {
        let answer: Response
        let position: Int64
        let computed: Instant
        let until: Instant?

        func holds(at now: Instant, _ position: Int64) -> Bool {
            // A clock that was set back may have made an offer open again.
            self.position == position && computed <= now && until.map { now < $0 } ?? true
        }
    }

    /// Positions begin again in a restored journal, and another build may answer otherwise from the same tables.
    private let life = Hex.encode(Random.bytes(4))
    private var kept: [Question: Kept] = [:]
    private(set) var bytes = 0

    var count: Int { kept.count }

    /// Returns the answer, or that it is unchanged where the caller knows its tag.
    ///
    /// - Parameter position: where the views stand; nothing is kept while that is unknown (negative).
    mutating func answer(
        to ask: Request, at now: Instant, _ position: Int64, computing: () -> QueryAnswer
    ) -> Response {
        let question = Question(verb: ask.verb, body: ask.body)
        let answer: Response
        if let known = kept[question], known.holds(at: now, position) {
            answer = known.answer
        } else {
            answer = keep(computing(), as: question, at: now, position)
        }
        guard let tag = answer.tag, ask.known.contains(tag) || ask.known.contains("*") else { return answer }
        return .unchanged(tag: tag)
    }

    private mutating func keep(
        _ computed: QueryAnswer, as question: Question, at now: Instant, _ position: Int64
    ) -> Response {
        let before = forget(question)
        guard computed.answer.status == 200, position >= 0 else { return computed.answer }
        let tag =
            before.flatMap { $0.body == computed.answer.body ? $0.tag : nil }
            ?? "\(life)-\(position)-\(computed.until?.microseconds ?? 0)"
        let answer = Response(status: 200, body: computed.answer.body, tag: tag)
        guard answer.body.count <= HostLimits.sharedAnswerBytes else { return answer }
        kept[question] = Kept(answer: answer, position: position, computed: now, until: computed.until)
        bytes += answer.body.count
        while kept.count > HostLimits.sharedAnswers || bytes > HostLimits.sharedAnswerBytes,
            let other = kept.keys.first(where: { $0 != question })
        {
            forget(other)
        }
        return answer
    }

    @discardableResult
    private mutating func forget(_ question: Question) -> Response? {
        let answer = kept.removeValue(forKey: question)?.answer
        bytes -= answer?.body.count ?? 0
        return answer
    }
}
