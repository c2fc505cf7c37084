import Testing
import Vocabulary

@testable import Console

@Suite("Restarts of services")
struct RestartCountsTests {
    private static let minute: Int64 = 60_000_000

    @Test func `three restarts within an hour are reported, and no longer an hour later`() {
        var counts = RestartCounts()
        var reports = 0
        for turn in 0..<200 {
            let now = Int64(turn) * Self.minute
            // The ledger begins again in the minutes 10, 30 and 50; the gateway once.
            let ledger = [10, 30, 50].count { $0 <= turn }
            counts.note("trace-ledger/farm-0", started: Instant(microseconds: Int64(ledger)), at: now)
            counts.note("sync-gateway/farm-0", started: Instant(microseconds: turn < 40 ? 1 : 2), at: now)
            let findings = counts.findings(at: now, Wording(isStack: false))
            #expect(findings.isEmpty == !(50..<70).contains(turn), "minute \(turn)")
            guard let finding = findings.first else { continue }
            reports += 1
            #expect(finding.name == "restarts trace-ledger/farm-0" && finding.state == .act)
            #expect(finding.said == "trace-ledger/farm-0 began again 3 times within an hour.")
            #expect(finding.advice?.contains("furrow logs") == true)
        }
        #expect(reports == 20)
    }
}
