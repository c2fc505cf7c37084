import EventSourcing
import Events
import Host
import JSON
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Recalls of lots")
struct RecallTests {
    @Test func `a recall includes all that was split off, except what is recalled already`() throws {
        let ledger = try Ledger.farm()
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1000}"#)
        for (lot, into) in [("A", "B"), ("A", "C"), ("B", "D"), ("C", "E")] {
            try ledger.done("split-lot", #"{"lot":"\#(lot)","into":"\#(into)","grams":10}"#)
        }
        try ledger.done("recall-lot", #"{"lot":"B","reason":"Glass"}"#)
        let answer = try ledger.done("recall-lot", #"{"lot":"A","reason":"More glass"}"#)
        #expect(Set(try answer.items("includes").map { try $0.string() }) == ["C", "E"])
        let reasons = ["A", "B", "C", "D", "E"].map { ledger.core.tables.get(LotRow.self, $0)?.state.recalled }
        #expect(reasons == ["More glass", "Glass", "More glass", "Glass", "More glass"])
    }

    @Test func `a recall is possible with any number of split lots`() throws {
        let ledger = try Ledger.farm()
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Carrots","grams":1000000}"#)
        let count = LedgerLimits.recalledLots + 2
        // The longest possible numbers, all of which must fit one event.
        let names = (0..<count).map { "LOT-OF-THE-YEAR-\(1000 + $0)" }
        for name in names { try ledger.done("split-lot", #"{"lot":"A","into":"\#(name)","grams":1}"#) }
        let recall = #"{"lot":"A","reason":"Glass"}"#
        for name in names.prefix(2) {
            #expect(try ledger.refusal("recall-lot", recall) == "409 too-many-lots")
            try ledger.done("recall-lot", #"{"lot":"\#(name)","reason":"Glass"}"#)
        }
        #expect(try ledger.done("recall-lot", recall).items("includes").count == LedgerLimits.recalledLots)
        let recalled = (names + ["A"]).count { ledger.core.tables.get(LotRow.self, $0)?.state.recalled != nil }
        print("recall: \(recalled) lots recalled")
        #expect(recalled == count + 1)
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }
}
