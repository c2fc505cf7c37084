import EventSourcing
import Events
import Host
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Witness requests")
struct WitnessTests {
    private func asked(_ ledger: Ledger) throws -> Int {
        let entries = try ledger.core.log.reader().entries(from: 1, through: ledger.core.log.head.position)
        return try entries.map { try RecordedEvent(reading: $0.bytes).fact }.count { fact in
            if case .journal(.witnessRequested) = fact { true } else { false }
        }
    }

    /// Lets minutes pass; restarts the ledger every `life` minutes.
    private func pass(_ minutes: Int, _ ledger: Ledger, life: Int = .max) throws {
        for minute in 1...minutes {
            if minute.isMultiple(of: life) { ledger.restart() }
            try ledger.tick(after: 60)
        }
    }

    @Test func `witnesses are requested every hour, however often the ledger is restarted`() throws {
        let ledger = try Ledger.farm()
        try pass(59, ledger, life: 50)
        #expect(try asked(ledger) == 0)
        try pass(2, ledger)
        #expect(try asked(ledger) == 1)
        try pass(539, ledger, life: 50)
        print("witnesses: asked \(try asked(ledger)) times in ten hours of twelve processes")
        // An event is stamped later than its tick, so of ticks a minute apart the 61st may be the first in time.
        #expect((9...10).contains(try asked(ledger)))
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }

    @Test func `witnesses are requested every hour, also after the clock was a month ahead`() throws {
        let ledger = try Ledger.farm()
        try pass(61, ledger)
        try ledger.tick(after: 30 * 86_400)
        #expect(try asked(ledger) == 2)
        try ledger.tick(after: -30 * 86_400)
        #expect(try asked(ledger) == 3)
        try pass(59, ledger)
        #expect(try asked(ledger) == 3)
        try pass(2, ledger)
        #expect(try asked(ledger) == 4)
    }

    @Test func `witnesses are requested an hour after a recall requested them`() throws {
        let ledger = try Ledger.farm()
        try ledger.done("harvest", #"{"lot":"L1","plot":"p1","product":"Carrots","grams":1}"#)
        try pass(30, ledger)
        try ledger.done("recall-lot", #"{"lot":"L1","reason":"Glass"}"#)
        #expect(try asked(ledger) == 1)
        try pass(59, ledger)
        #expect(try asked(ledger) == 1)
        try pass(2, ledger)
        #expect(try asked(ledger) == 2)
    }

    @Test func `a witness request waits for the first checkpoint and is tried every minute`() throws {
        let ledger = try Ledger.farm()
        ledger.archive.isSigned = false
        try pass(90, ledger)
        #expect(try asked(ledger) == 0)
        ledger.archive.isSigned = true
        try pass(1, ledger)
        #expect(try asked(ledger) == 1)
    }
}
