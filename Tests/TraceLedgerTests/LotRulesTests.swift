import Testing
import Vocabulary

@testable import TraceLedger

/// Tables of cases that distinguish each rule from its mutants.
@Suite("Rules of lots")
struct LotRulesTests {
    private func failures<Case, Result: Equatable>(
        _ cases: [(Case, Result)], _ rule: (Case) -> Result
    ) -> Int {
        cases.count { rule($0.0) != $0.1 }
    }

    @Test func `a time three years ago or longer is refused, and each mutant of the rule is rejected`() {
        let now = Instant(hours: 500_000)
        let days = LedgerLimits.harvestDays
        let cases = [(0.0, false), (days - 1, false), (days, true), (days + 1, true), (20_000, true), (-1, false)]
        func happened(_ days: Double) -> Instant { now.advanced(bySeconds: -days * 86_400) }
        #expect(failures(cases) { LotRules.isTooLongAgo(happened($0), at: now) } == 0)
        let mutants: [(Double) -> Bool] = [{ _ in false }, { $0 > days }, { abs($0) >= 1 }]
        for mutant in mutants { #expect(failures(cases, mutant) > 0) }
    }

    @Test func `another product's item number is refused, and each mutant of the rule is rejected`() {
        let cases: [([String], String?)] = [
            ([], nil), (["Plums"], nil), (["Pears"], "Pears"), (["Plums", "Pears"], "Pears"),
        ]
        #expect(failures(cases) { LotRules.owner(of: $0, for: "Plums") } == 0)
        let mutants: [([String]) -> String?] = [{ _ in nil }, { $0.first }, { $0.first == "Plums" ? nil : $0.first }]
        for mutant in mutants { #expect(failures(cases, mutant) > 0) }
    }

    @Test func `labels are read only of a printed and clear lot, and each mutant of the rule is rejected`() {
        typealias State = (isPrinted: Bool, held: String?, recalled: String?)
        let cases: [(State, Bool)] = [
            ((true, nil, nil), true), ((false, nil, nil), false), ((true, "spray", nil), false),
            ((true, nil, "glass"), false), ((false, "spray", "glass"), false),
        ]
        #expect(
            failures(cases) {
                LotRules.areLabelsReadable(isPrinted: $0.isPrinted, held: $0.held, recalled: $0.recalled)
            } == 0)
        let mutants: [(State) -> Bool] = [
            { _ in true }, { $0.isPrinted }, { $0.isPrinted && $0.held == nil }, { $0.isPrinted && $0.recalled == nil },
            { $0.held == nil && $0.recalled == nil },
        ]
        for mutant in mutants { #expect(failures(cases, mutant) > 0) }
    }

    @Test func `a story is public once labelled, offered or handed over, and each mutant of the rule is rejected`() {
        typealias State = (isPrinted: Bool, isOffered: Bool, handedTo: String?)
        let cases: [(State, Bool)] = [
            ((false, false, nil), false), ((true, false, nil), true), ((false, true, nil), true),
            ((false, false, "Market"), true),
        ]
        #expect(
            failures(cases) {
                LotRules.isPublic(isPrinted: $0.isPrinted, isOffered: $0.isOffered, handedTo: $0.handedTo)
            } == 0)
        let mutants: [(State) -> Bool] = [
            { _ in true }, { $0.isPrinted || $0.isOffered }, { $0.isPrinted || $0.handedTo != nil },
            { $0.isOffered || $0.handedTo != nil },
        ]
        for mutant in mutants { #expect(failures(cases, mutant) > 0) }
    }
}
