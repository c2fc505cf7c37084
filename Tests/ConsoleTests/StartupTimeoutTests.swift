import Telemetry
import Testing

@testable import Console

@Suite("The timeout of a start")
struct StartupTimeoutTests {
    private func report(_ position: Int, of head: Int) -> [UInt8] {
        var report = HealthReport(service: "trace-ledger")
        report.add("journal", .ok)
        report.add("views", .down, "folding \(position) of \(head)")
        return report.json
    }

    @Test func `a start is waited for while the rebuild of views makes progress`() {
        let second: Int64 = 1_000_000
        var patience = StartupTimeout(seconds: 300, at: 0)
        for minute in 0..<60 {
            let told = StartupTimeout.folded(in: report(minute * 1000, of: 60_000))
            #expect(told == minute * 1000)
            let isOver = patience.isOver([nil, told], at: Int64(minute) * 60 * second)
            #expect(!isOver)
        }
        // The last progress was after 59 minutes. A service that restarts and begins again makes no new progress.
        let last = StartupTimeout.folded(in: report(59_000, of: 60_000))
        let verdicts = [(100, 10), (200, 20_000), (299, last), (300, last)].map { seconds, position in
            patience.isOver([nil, position], at: (59 * 60 + seconds) * second)
        }
        #expect(verdicts == [false, false, false, true])
    }

    @Test func `a service that rebuilds nothing has a single timeout`() {
        var patience = StartupTimeout(seconds: 300, at: 0)
        var well = HealthReport(service: "sync-gateway")
        well.add("views", .ok)
        for body in [well.json, [], Array("ready".utf8)] { #expect(StartupTimeout.folded(in: body) == nil) }
        let verdicts = [0, 299, 300].map { patience.isOver([nil], at: $0 * 1_000_000) }
        #expect(verdicts == [false, false, true])
    }
}
