import EventSourcing
import Events
import Host
import TestKit
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Clocks that are set back")
struct ClockTests {
    private func hear(_ ledger: Ledger, _ celsius: Double, _ number: UInt64, late: Double = 0) throws {
        let report = Measured(
            device: Ledger.device, format: "test", readings: [Reading(.temperature, celsius)], source: "test",
            counter: number, repeats: Int(RepeatRule.sequence.rawValue), payload: Hex.encode([UInt8(number)]))
        try ledger.hear(report, at: ledger.now.advanced(bySeconds: -late))
    }

    /// Records a clock step, as the event loop does when it detects one.
    private func step(_ ledger: Ledger, bySeconds seconds: Double) throws {
        ledger.clock.set(to: ledger.now.advanced(bySeconds: seconds))
        let stepped = Draft(
            ClockStepped(seconds: seconds), in: "journal", at: ledger.now, by: .service(TraceLedger.name))
        try ledger.core.record([stepped], at: ledger.now)
        _ = try ledger.core.commit()
    }

    private func latest(_ ledger: Ledger) -> [Double] {
        ledger.core.tables.scan(LatestRow.self, prefix: "", limit: 10).map(\.value)
    }

    @Test func `after the clock is set back a place's newest value still advances, and a late one stays late`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        try hear(ledger, 20, 1)
        try step(ledger, bySeconds: 3 * 86_400)
        try hear(ledger, 21, 2)
        try step(ledger, bySeconds: -3 * 86_400)
        #expect(latest(ledger) == [21])
        ledger.clock.advance(bySeconds: 1)
        try hear(ledger, 30, 3, late: 60)
        #expect(latest(ledger) == [21])
        try hear(ledger, 22, 4)
        #expect(latest(ledger) == [22])
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }

    @Test func `a clock step in another journal affects the values that arrived from it, even late ones`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        // The ledger's own clock was right when the values that were recorded with a wrong one arrived.
        try hear(ledger, 21, 1, late: -3 * 86_400)
        try ledger.hear(ClockStepped(seconds: -3 * 86_400), in: "journal")
        ledger.clock.advance(bySeconds: 1)
        try hear(ledger, 22, 2)
        #expect(latest(ledger) == [22])
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }
}
