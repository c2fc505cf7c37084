import Host
import Testing
import Vocabulary
import Wire

@Suite("Unresolved references")
struct UnresolvedReferencesTests {
    private let start = Instant(microseconds: 1_780_000_000_000_000)

    private func problem(_ reference: String) -> Problem {
        Problem(404, "unknown-farm", "There is no farm.", .unresolved(reference: reference))
    }

    @Test func `an unresolved reference is too early at first, and not found once the subscriber is up to date`() {
        var references = UnresolvedReferences()
        references.isUpToDate = true
        #expect(references.refusal(problem("farm/a"), at: start).status == 425)
        #expect(references.refusal(problem("farm/a"), at: start.advanced(bySeconds: 2.9)).status == 425)
        let later = start.advanced(bySeconds: 3)
        #expect(references.refusal(problem("farm/a"), at: later) == problem("farm/a"))
        // Each reference has its own time.
        #expect(references.refusal(problem("farm/b"), at: later).status == 425)
    }

    @Test func `an unresolved reference stays too early while the subscriber lags or its lag is unknown`() {
        var references = UnresolvedReferences()
        #expect(references.refusal(problem("farm/a"), at: start).status == 425)
        #expect(references.refusal(problem("farm/a"), at: start.advanced(bySeconds: 3600)).status == 425)
        references.isUpToDate = true
        #expect(references.refusal(problem("farm/a"), at: start.advanced(bySeconds: 3600)).status == 404)
        // After the clock was set back the time begins again.
        #expect(references.refusal(problem("farm/a"), at: start.advanced(bySeconds: -60)).status == 425)
    }

    @Test func `other refusals are returned unchanged, and the number of stored references is limited`() {
        var references = UnresolvedReferences()
        references.isUpToDate = true
        for finality in [Problem.Finality.final, .passing] {
            let other = Problem(409, "sold-out", "Sold out.", finality)
            #expect(references.refusal(other, at: start) == other)
        }
        for number in 0..<3000 { _ = references.refusal(problem("farm/\(number)"), at: start) }
        // The oldest reference was removed: its time begins again, and it is never refused too soon.
        let later = start.advanced(bySeconds: 5)
        #expect(references.refusal(problem("farm/0"), at: later).status == 425)
        #expect(references.refusal(problem("farm/2999"), at: later).status == 404)
    }
}
