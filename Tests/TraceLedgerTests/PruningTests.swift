import EventSourcing
import EventStore
import Events
import Host
import JSON
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Pruned reports")
struct PruningTests {
    @Test func `tables after a prune equal those rebuilt without the pruned reports`() throws {
        var (gone, kept, lots) = (0, 0, 0)
        for seed in 0..<UInt64(25) {
            var past = try SimulatedPast(seed: seed)
            try past.prune()
            let (anew, live) = try past.ledger.rebuilt()
            for (anew, live) in zip(anew, live) where anew != live {
                Issue.record("seed \(seed): \(live.table) has \(live.rows) rows, anew \(anew.rows)")
            }
            (gone, kept, lots) = (gone + past.counts.gone, kept + past.counts.kept, lots + past.lots.count)
        }
        print("\(gone) reports were pruned, \(kept) old ones were retained for \(lots) lots")
        #expect(gone > 1000 && kept > 1000 && lots > 150)
    }

    @Test func `mutants of the prune are detected`() throws {
        let mutants: [any MutantLedger.Type] = [
            MutantRetainsHours.self, MutantRetainsLatest.self, MutantRetainsReports.self, MutantRetainsMargin.self,
            MutantRetainsSamples.self,
        ]
        for mutant in mutants {
            let caught = try (0..<UInt64(25)).first { seed in
                var past = try SimulatedPast(seed: seed)
                try past.prune()
                return try isDetected(mutant, past.ledger)
            }
            print("\(mutant) was detected by seed \(caught.map(String.init) ?? "none")")
            #expect(caught != nil, "\(mutant)")
        }
    }

    private func isDetected<S: MutantLedger>(_ mutant: S.Type, _ ledger: Ledger) throws -> Bool {
        let live = try ledger.folded(by: mutant, without: [[], []])
        return try live != ledger.folded(by: mutant, without: ledger.prunedPositions)
    }

    @Test func `a prune changes the story of no lot`() throws {
        var lots = 0
        for seed in 0..<UInt64(10) {
            var past = try SimulatedPast(seed: seed)
            func stories() throws -> [String] {
                let tables = past.ledger.core.tables
                return try past.lots.map { lot in
                    let story = try #require(LotStory(of: LotID(lot), at: past.ledger.at(days: 1200), from: tables))
                    return LotStory.digest(of: try story.passport())
                }
            }
            let before = try stories()
            try past.prune(tellingLate: false)
            #expect(try stories() == before, "seed \(seed)")
            lots += before.count
        }
        print("\(lots) stories are unchanged")
        #expect(lots > 50)
    }
}
