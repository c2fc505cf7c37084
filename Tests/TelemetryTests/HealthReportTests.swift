import Foundation
import Telemetry
import Testing

@Suite("Health reports")
struct HealthReportTests {
    @Test func `a report has the status of its worst check`() {
        var report = HealthReport(service: "trace-ledger")
        #expect(report.status == .ok)
        report.add("journal", .ok)
        #expect(report.status == .ok)
        report.add("feed", .degraded, "behind")
        #expect(report.status == .degraded)
        #expect(report.isReady)
        report.add("views", .down, "folding 5 of 9")
        #expect(report.status == .down)
        #expect(!report.isReady)
        report.add("views", .ok)
        #expect(report.status == .degraded)
        #expect(report.checks["feed"]?.status == .degraded)
        #expect(report.checks["feed"]?.detail == "behind")
    }

    @Test func `a report is JSON with each check by name`() throws {
        var report = HealthReport(service: "trace-ledger")
        report.add("views", .down, "said \"no\"\n")
        report.add("journal", .ok)
        #expect(
            String(decoding: report.json, as: UTF8.self)
                == #"{"status":"down","service":"trace-ledger","checks":{"journal":{"status":"ok"},"#
                + #""views":{"status":"down","detail":"said \"no\"\u000a"}}}"#)
        let object = try JSONSerialization.jsonObject(with: Data(report.json)) as? [String: Any]
        #expect((object?["checks"] as? [String: Any])?.count == 2)
        let empty = String(decoding: HealthReport(service: "s").json, as: UTF8.self)
        #expect(empty == #"{"status":"ok","service":"s","checks":{}}"#)
    }
}
