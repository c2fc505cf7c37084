import Events
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Values that another program has decoded")
struct SentReportTests {
    private func send(_ bench: Bench, _ reports: String...) throws -> (status: Int, json: JSONValue) {
        try bench.ask(
            "ingest-values", #"{"source":"gateway/plc","reports":[\#(reports.joined(separator: ","))]}"#)
    }

    private func report(_ celsius: Double, at: String? = nil, device: String = "plc-1") -> String {
        let time = at.map { #""at":"\#($0)","# } ?? ""
        return
            #"{"device":"\#(device)",\#(time)"maker":"Acme","values":[{"quantity":"temperature","value":\#(celsius)}]}"#
    }

    @Test func `values are reports of their device, in the units of the quantities`() throws {
        let bench = try Bench()
        let values =
            #"{"quantity":"temperature","value":50,"unit":"°F"},{"quantity":"temperature-2","value":4.5},"#
            + #"{"quantity":"co2","value":640}"#
        #expect(try send(bench, #"{"device":"plc-1","maker":"Acme","model":"M1","values":[\#(values)]}"#).status == 200)
        let measured = try #require(try bench.measured().first)
        #expect(measured.device == DeviceID("http:plc-1") && measured.format == "values")
        #expect(measured.source == "gateway/plc")
        #expect(
            measured.readings.map { "\($0.quantity.rawValue) \($0.value)" } == [
                "temperature 10.0", "temperature-2 4.5", "co2 640.0",
            ])
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `a report that is sent again is recorded once, and one of another time is another`() throws {
        let bench = try Bench()
        let (first, second) = ("2026-05-01T10:00:00Z", "2026-05-01T10:05:00Z")
        for _ in 0..<3 { _ = try send(bench, report(20, at: first), report(20, at: second)) }
        #expect(try bench.measured().count == 2)
        // Without a time, equal values are other reports after two seconds.
        _ = try send(bench, report(21))
        bench.clock.advance(bySeconds: 60)
        _ = try send(bench, report(21))
        #expect(try bench.measured().count == 4)
    }

    @Test func `values raise alarms, and implausible ones are stored with their reason`() throws {
        let bench = try Bench()
        for (verb, body) in [
            ("bind-point", #"{"point":"p1","title":"Top","place":"store/cold","device":"http:plc-1"}"#),
            ("set-rule", #"{"rule":"warm","place":"store/cold","quantity":"temperature","above":8}"#),
        ] { #expect(try bench.ask(verb, body).status == 200) }
        _ = try send(bench, report(9))
        _ = try send(bench, report(900))
        let raised = try bench.journal().count { if case .alarmRaised = $0.fact { true } else { false } }
        #expect(try raised == 1 && bench.refused().count == 1)
    }

    @Test func `what cannot be a report is refused as a whole`() throws {
        let bench = try Bench()
        for report in [
            #"{"device":"a b","values":[{"quantity":"co2","value":1}]}"#, #"{"device":"a","values":[]}"#,
            #"{"device":"a","values":[{"quantity":"silence","value":1}]}"#,
            #"{"device":"a","values":[{"quantity":"warmth","value":1}]}"#,
            #"{"device":"a","values":[{"quantity":"co2"}]}"#,
        ] { #expect(try send(bench, self.report(20), report).status == 400, "\(report)") }
        #expect(try bench.measured().isEmpty)
    }
}
