import TestKit
import Testing

@testable import SyncGateway

@Suite("The words of reports")
struct ReportWordsTests {
    @Test(arguments: PageLanguage.allCases)
    func `each language has the same texts with the same values`(language: PageLanguage) throws {
        let (words, english) = (Mirror(reflecting: ReportWords.of(language)), Mirror(reflecting: ReportWords.of(nil)))
        var compared = 0
        for (one, other) in zip(words.children, english.children) {
            guard let text = one.value as? String, let wanted = other.value as? String else { continue }
            compared += 1
            #expect(holes(text) == holes(wanted), "\(one.label ?? "")")
            #expect(language == .english || text != wanted || ["code", "beacon"].contains(one.label), "\(text)")
        }
        #expect(compared >= 18)
        #expect(ReportWords.of(language).groups.map(\.[0]) == ReportWords.of(nil).groups.map(\.[0]))
        #expect(ReportWords.of(language).decisions.keys.sorted() == ["ignored", "missing", "present"])
    }

    @Test func `values stand where their language has them`() {
        #expect(ReportWords.fill("{1} von {0}", 3, "zwei") == "zwei von 3")
    }

    private func holes(_ text: String) -> [String] {
        text.matches(of: /\{\d\}/).map { String($0.output) }.sorted()
    }
}
