import EventSourcing
import EventStore
import Events
import Host
import JSON
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Reports that were let go")
struct PruningTests {
    @Test func `leave tables that equal those folded without them`() throws {
        var (gone, kept, lots) = (0, 0, 0)
        for seed in 0..<UInt64(25) {
            var past = try OldReports(seed: seed)
            try past.letGo()
            let (anew, live) = try past.ledger.rebuilt()
            for (anew, live) in zip(anew, live) where anew != live {
                Issue.record("seed \(seed): \(live.table) has \(live.rows) rows, anew \(anew.rows)")
            }
            (gone, kept, lots) = (gone + past.counts.gone, kept + past.counts.kept, lots + past.lots.count)
        }
        print("\(gone) reports were let go, \(kept) old ones stayed for \(lots) lots")
        #expect(gone > 1000 && kept > 1000 && lots > 150)
    }

    @Test func `are found out where a ledger is careless`() throws {
        let twins: [any MutantLedger.Type] = [
            KeepsHours.self, KeepsTheLatest.self, KeepsWhatWasHeard.self, TrustsTheMargin.self,
        ]
        for twin in twins {
            let caught = try (0..<UInt64(25)).first { seed in
                var past = try OldReports(seed: seed)
                try past.letGo()
                return try isFoundOut(twin, past.ledger)
            }
            print("\(twin) was found out by seed \(caught.map(String.init) ?? "none")")
            #expect(caught != nil, "\(twin)")
        }
    }

    private func isFoundOut<S: MutantLedger>(_ careless: S.Type, _ ledger: Ledger) throws -> Bool {
        let live = try ledger.folded(by: careless, without: [[], []])
        return try live != ledger.folded(by: careless, without: ledger.letGo)
    }

    @Test func `change the story of no lot`() throws {
        var lots = 0
        for seed in 0..<UInt64(10) {
            var past = try OldReports(seed: seed)
            func stories() throws -> [String] {
                let tables = past.ledger.core.tables
                return try past.lots.map { lot in
                    let story = try #require(LotStory(of: LotID(lot), at: past.ledger.at(days: 1200), from: tables))
                    return LotStory.digest(of: try story.passport())
                }
            }
            let before = try stories()
            try past.letGo(tellingLate: false)
            #expect(try stories() == before, "seed \(seed)")
            lots += before.count
        }
        print("\(lots) stories are as they were")
        #expect(lots > 50)
    }
}
