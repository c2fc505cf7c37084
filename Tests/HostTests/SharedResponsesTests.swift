import EventSourcing
import Testing
import Vocabulary

@testable import Host

/// A list of two offers, of which the first expires: the response depends on the tables and on the time.
private struct Offers {
    static let start = Instant(microseconds: 1_780_000_000_000_000)
    static let end = start.advanced(bySeconds: 60)

    /// Changes with each change of the list; other events change only the position.
    var edition = 0
    var position: Int64 = 7

    func text(at now: Instant) -> String { "edition \(edition), \(now < Self.end ? 2 : 1) offers" }

    func answer(at now: Instant) -> QueryAnswer {
        QueryAnswer(Response(status: 200, body: Array(text(at: now).utf8)), until: now < Self.end ? Self.end : nil)
    }
}

/// A request of a client that has the response with these tags.
private func ask(_ known: [String] = [], body: String = "{}") -> Request {
    Request(
        id: 1, verb: "offers", body: Array(body.utf8), actor: .service("gateway"), key: nil,
        entropy: Array(repeating: 0, count: 16), known: known)
}

@Suite("Shared query responses")
struct SharedResponsesTests {
    private typealias Rule = (Request, Instant, Int64, () -> QueryAnswer) -> Response

    /// Returns the moments at which a client that repeats its request with its tag has an outdated response.
    private func wrong(_ rule: Rule) -> [String] {
        var offers = Offers()
        var known: (tag: String, text: String)?
        var wrong: [String] = []
        func look(_ moment: String, at now: Instant) {
            let answer = rule(ask(known.map { [$0.tag] } ?? []), now, offers.position) { offers.answer(at: now) }
            if answer.status == 200 {
                known = answer.tag.map { ($0, String(decoding: answer.body, as: UTF8.self)) }
            }
            if known?.text != offers.text(at: now) { wrong.append(moment) }
        }
        look("first", at: Offers.start)
        look("again", at: Offers.start.advanced(bySeconds: 1))
        offers.position += 1
        look("after an event of something else", at: Offers.start.advanced(bySeconds: 2))
        (offers.position, offers.edition) = (offers.position + 1, 1)
        look("after a change", at: Offers.start.advanced(bySeconds: 3))
        look("after an offer's end", at: Offers.end)
        look("after the clock was set back", at: Offers.start.advanced(bySeconds: 4))
        look("after its end again", at: Offers.end.advanced(bySeconds: 1))
        (offers.position, offers.edition) = (offers.position + 1, 0)
        look("after the list of before came back", at: Offers.end.advanced(bySeconds: 2))
        return wrong
    }

    @Test func `a client that names its tag never uses an outdated response`() {
        var shared = SharedResponses()
        #expect(wrong { shared.answer(to: $0, at: $1, $2, computing: $3) } == [])
    }

    @Test func `mutants with tags of the position, or with responses that ignore the time, are rejected`() {
        let byPosition: Rule = { ask, _, position, computing in
            let tag = "\(position)"
            return ask.known.contains(tag)
                ? .unchanged(tag: tag) : Response(status: 200, body: computing().answer.body, tag: tag)
        }
        #expect(wrong(byPosition) == ["after an offer's end", "after its end again"])
        var kept: (position: Int64, answer: Response)?
        let untilMoved: Rule = { ask, _, position, computing in
            if let kept, kept.position == position {
                return ask.known.contains(kept.answer.tag ?? "") ? .unchanged(tag: kept.answer.tag ?? "") : kept.answer
            }
            let answer = Response(status: 200, body: computing().answer.body, tag: "\(position)")
            kept = (position, answer)
            return answer
        }
        #expect(wrong(untilMoved) == ["after an offer's end", "after its end again"])
    }

    @Test func `a response is computed once for all callers, and retains its tag while it is equal`() {
        var shared = SharedResponses()
        var offers = Offers()
        var computed = 0
        func get(_ known: [String] = [], seconds: Double = 0) -> Response {
            let now = Offers.start.advanced(bySeconds: seconds)
            return shared.answer(to: ask(known), at: now, offers.position) {
                computed += 1
                return offers.answer(at: now)
            }
        }
        let tag = get().tag ?? ""
        #expect(!tag.isEmpty && tag.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 })
        for second in 1...50 { #expect(get([tag], seconds: Double(second)) == .unchanged(tag: tag)) }
        #expect(computed == 1 && get(["*"]).status == 304 && get(["other"]).status == 200)
        offers.position += 1
        #expect(get([tag], seconds: 51) == .unchanged(tag: tag) && computed == 2)
        offers.position += 1
        offers.edition += 1
        #expect(get([tag], seconds: 52).status == 200 && computed == 3)
        // Another run of the process has other tags, although its positions are the same.
        var next = SharedResponses()
        let again = next.answer(to: ask([tag]), at: Offers.start, 7) { Offers().answer(at: Offers.start) }
        #expect(again.status == 200 && again.tag != tag)
    }

    @Test func `refusals and responses without a position are not stored, and the stored responses are limited`() {
        var shared = SharedResponses()
        let refusal = shared.answer(to: ask(), at: Offers.start, 7) { QueryAnswer(Response(status: 404, body: [1])) }
        #expect(refusal.status == 404 && refusal.tag == nil && shared.count == 0)
        let unknown = shared.answer(to: ask(), at: Offers.start, -1) { Offers().answer(at: Offers.start) }
        #expect(unknown.status == 200 && unknown.tag == nil && shared.count == 0)
        let large = Response(status: 200, body: Array(repeating: 0x20, count: HostLimits.sharedAnswerBytes / 8))
        for number in 0..<100 {
            _ = shared.answer(to: ask(body: "\(number)"), at: Offers.start, 7) { QueryAnswer(large) }
        }
        #expect(shared.count == 8 && shared.bytes <= HostLimits.sharedAnswerBytes)
        for number in 0..<HostLimits.sharedAnswers * 2 {
            _ = shared.answer(to: ask(body: "n\(number)"), at: Offers.start, 7) { Offers().answer(at: Offers.start) }
        }
        #expect(shared.count <= HostLimits.sharedAnswers && shared.count > 100)
    }
}
