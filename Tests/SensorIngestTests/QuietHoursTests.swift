import Events
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Batteries, and hours in which only urgent alarms are notified of")
struct QuietHoursTests {
    private static let address = "a4c138112233"

    /// Returns a batch in ATC's format: address, 0.1 °C, %, battery %, mV, counter.
    private func report(_ bench: Bench, battery: Int, celsius: Int = 20, _ counter: Int) throws {
        let values = [
            UInt8((celsius * 10) >> 8), UInt8((celsius * 10) & 0xFF), 50, UInt8(battery), 0x0B, 0x54, UInt8(counter),
        ]
        let hex = "10161a18\(Self.address)\(Hex.encode(values))"
        let body = "{\"adverts\":[{\"address\":\"\(Self.address)\",\"hex\":\"\(hex)\"}]}"
        #expect(try bench.ask("ingest-adverts", body).status == 200)
    }

    /// Returns a bench with a bound device, at an hour of 4 May 2026 by UTC, and quiet hours in Vienna (UTC+2).
    private func bench(at hour: Double, quiet: Bool = true) throws -> Bench {
        let bench = try Bench()
        bench.clock.set(to: try #require(Instant("2026-05-04T00:00:00Z")).advanced(bySeconds: hour * 3_600))
        try bench.wait(seconds: 0.1)
        let hours = quiet ? ",\"quiet\":{\"from\":\"21:00\",\"to\":\"07:00\",\"zone\":\"Europe/Vienna\"}" : ""
        for (verb, body) in [
            (
                "bind-point",
                "{\"point\":\"p1\",\"title\":\"Top\",\"place\":\"store/cold\",\"device\":\"ble:\(Self.address)\"}"
            ),
            ("set-on-call", "{\"steps\":[{\"afterMinutes\":0,\"people\":[\"anna\"]}]\(hours)}"),
        ] { #expect(try bench.ask(verb, body).status == 200) }
        return bench
    }

    private func alarms(_ bench: Bench) throws -> [String] {
        try bench.journal().compactMap { recorded in
            switch recorded.fact {
            case .alarmRaised(let event) where event.quantity != .silence: "raised \(event.rule) \(event.value)"
            case .alarmCleared(let event) where event.quantity != .silence: "cleared \(event.rule)"
            case .alarmNotificationRequested(let event) where event.quantity != .silence: "notified \(event.rule)"
            default: nil
            }
        }
    }

    @Test func `a battery that is nearly empty raises an alarm without any setting, and a new one clears it`() throws {
        let bench = try bench(at: 10)
        for (counter, battery) in [40, 10, 9, 8, 20, 25].enumerated() { try report(bench, battery: battery, counter) }
        #expect(try alarms(bench) == ["raised battery 9.0", "notified battery", "cleared battery"])
    }

    @Test func `a limit of batteries replaces the one that needs no setting`() throws {
        let bench = try bench(at: 10)
        try report(bench, battery: 5, 0)
        let own = "{\"rule\":\"own\",\"place\":\"store/cold\",\"quantity\":\"battery\",\"below\":3,\"enabled\":"
        #expect(try bench.ask("set-rule", own + "false}").status == 200)
        #expect(try alarms(bench) == ["raised battery 5.0", "notified battery", "cleared battery"])
        try report(bench, battery: 4, 1)
        #expect(try bench.ask("set-rule", own + "true}").status == 200)
        try report(bench, battery: 2, 2)
        #expect(try alarms(bench).suffix(2) == ["raised own 2.0", "notified own"])
        let wrong = "{\"rule\":\"battery\",\"place\":\"store/cold\",\"quantity\":\"temperature\",\"above\":3}"
        #expect(try bench.ask("set-rule", wrong).status == 422)
    }

    @Test func `an alarm that can wait is notified of by the first report after the quiet hours`() throws {
        // 22:00 in Vienna.
        let bench = try bench(at: 20)
        try report(bench, battery: 9, 0)
        bench.clock.advance(bySeconds: 8.9 * 3_600)
        try bench.wait(seconds: 1)
        try report(bench, battery: 9, 1)
        #expect(try alarms(bench) == ["raised battery 9.0"])
        bench.clock.advance(bySeconds: 0.2 * 3_600)
        try report(bench, battery: 9, 2)
        #expect(try alarms(bench) == ["raised battery 9.0", "notified battery"])
    }

    @Test func `an urgent alarm does not wait, and a limit can be one that waits`() throws {
        for (urgent, notified) in [("", true), (",\"urgent\":true", true), (",\"urgent\":false", false)] {
            let bench = try bench(at: 20)
            let limit =
                "{\"rule\":\"warm\",\"place\":\"store/cold\",\"quantity\":\"temperature\",\"above\":30\(urgent)}"
            #expect(try bench.ask("set-rule", limit).status == 200)
            try report(bench, battery: 50, celsius: 31, 0)
            #expect(try alarms(bench) == ["raised warm 31.0"] + (notified ? ["notified warm"] : []), "\(urgent)")
        }
    }

    @Test func `without quiet hours nothing waits, and they apply after a restart`() throws {
        let loud = try bench(at: 20, quiet: false)
        try report(loud, battery: 9, 0)
        #expect(try alarms(loud) == ["raised battery 9.0", "notified battery"])
        let quiet = try bench(at: 20)
        try quiet.restart()
        try report(quiet, battery: 9, 0)
        #expect(try alarms(quiet) == ["raised battery 9.0"])
    }

    @Test(arguments: [
        ("21:00", "07:00", [21 * 60, 0, 419], [420, 1_259]), ("12:00", "13:00", [720, 779], [719, 780, 0]),
    ])
    func `quiet hours may pass midnight`(from: String, to: String, within: [Int], outside: [Int]) {
        let hours = QuietHours(from: from, to: to, zone: "UTC")
        #expect(within.allSatisfy(hours.contains(minute:)) && !outside.contains(where: hours.contains(minute:)))
    }

    @Test(arguments: [
        ("{\"from\":\"9:00\",\"to\":\"10:00\",\"zone\":\"UTC\"}", 400),
        ("{\"from\":\"24:00\",\"to\":\"10:00\",\"zone\":\"UTC\"}", 400),
        ("{\"from\":\"10:00\",\"to\":\"10:00\",\"zone\":\"UTC\"}", 422),
        ("{\"from\":\"21:00\",\"to\":\"07:00\",\"zone\":\"Vienna\"}", 422),
        ("{\"from\":\"21:00\",\"to\":\"07:00\",\"zone\":\"../../etc/passwd\"}", 422),
    ])
    func `hours that are none are refused`(quiet: String, status: Int) throws {
        let body = "{\"steps\":[{\"afterMinutes\":0,\"people\":[\"anna\"]}],\"quiet\":\(quiet)}"
        #expect(try Bench().ask("set-on-call", body).status == status)
    }
}
