import EventSourcing
import Events
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Shelving of alarms")
struct ShelvingTests {
    private static let addresses = ["cbb8334c884f", "cbb8334c8850"]

    /// Returns a bench with two sensors in a store, a limit of 30 °C and two escalation steps.
    private func bench() throws -> Bench {
        let bench = try Bench()
        for (number, address) in Self.addresses.enumerated() {
            let body =
                "{\"point\":\"p\(number)\",\"title\":\"Shelf \(number)\",\"place\":\"store/cold\","
                + "\"device\":\"ble:\(address)\"}"
            #expect(try bench.ask("bind-point", body).status == 200)
        }
        let rule = "{\"rule\":\"warm\",\"place\":\"store/cold\",\"quantity\":\"temperature\",\"above\":30}"
        #expect(try bench.ask("set-rule", rule).status == 200)
        let steps =
            "{\"steps\":[{\"afterMinutes\":0,\"people\":[\"anna\"]},{\"afterMinutes\":15,\"people\":[\"ben\"]}]}"
        #expect(try bench.ask("set-on-call", steps).status == 200)
        return bench
    }

    /// Reports a temperature of both points now.
    private func report(_ bench: Bench, _ celsius: Double, _ number: Int) throws {
        for address in Self.addresses {
            _ = try bench.ask("ingest-adverts", Bench.ruuvi(celsius, UInt8(number % 250), from: address, at: bench.now))
        }
    }

    /// Lets minutes pass with a report at the end of each of them.
    private func pass(_ bench: Bench, minutes: Int, _ celsius: Double, from first: Int) throws {
        for minute in 0..<minutes {
            bench.clock.advance(bySeconds: 58.9)
            try bench.wait(seconds: 1.1)
            try report(bench, celsius, first + minute)
        }
    }

    /// Lets time pass without reports, with a tick every half minute.
    private func pass(_ bench: Bench, silentSeconds: Double) throws {
        for _ in 0..<Int(silentSeconds / 30) {
            bench.clock.advance(bySeconds: 29.95)
            try bench.wait(seconds: 0.1)
        }
    }

    @discardableResult
    private func shelve(_ bench: Bench, _ minutes: Int, rule: String = "warm", point: String = "p0") throws -> Int {
        try bench.ask("shelve-alarm", "{\"rule\":\"\(rule)\",\"point\":\"\(point)\",\"minutes\":\(minutes)}").status
    }

    /// The steps of which people were notified for a point.
    private func notified(_ bench: Bench, _ point: String = "p0", _ rule: String = "warm") throws -> [Int] {
        try bench.journal().compactMap { recorded in
            guard case .alarmNotificationRequested(let event) = recorded.fact, event.point.rawValue == point,
                event.rule.rawValue == rule
            else { return nil }
            return event.step
        }
    }

    private func shelved(_ bench: Bench) throws -> Instant? {
        let alarms = try bench.ask("alarms", "{}").json.get("items", as: [JSONValue].self)
        let alarm = try #require(try alarms.first { try $0.get("point", as: String.self) == "p0" })
        return try alarm.find("shelved", as: JSONValue.self)?.get("until", as: Instant.self)
    }

    @Test func `a shelved alarm notifies nobody until the time, then escalates from the first step`() throws {
        let bench = try bench()
        try report(bench, 31, 1)
        #expect(try notified(bench) == [0])
        #expect(try shelve(bench, 60) == 200)
        #expect(try shelved(bench) == bench.now.advanced(bySeconds: 3600))
        try pass(bench, minutes: 59, 31, from: 2)
        #expect(try notified(bench) == [0])
        #expect(try notified(bench, "p1") == [0, 1], "the other point is not shelved")
        try pass(bench, minutes: 2, 31, from: 61)
        #expect(try notified(bench) == [0, 0] && shelved(bench) == nil)
        try pass(bench, minutes: 15, 31, from: 63)
        #expect(try notified(bench) == [0, 0, 1])
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `an alarm that is raised again while it is shelved notifies nobody, and its end is remembered`() throws {
        let bench = try bench()
        try report(bench, 31, 1)
        try shelve(bench, 240)
        for hour in 0..<3 {
            try pass(bench, minutes: 40, 20, from: 2 + hour * 60)
            try pass(bench, minutes: 20, 33, from: 42 + hour * 60)
        }
        try bench.restart()
        #expect(try notified(bench) == [0])
        try pass(bench, minutes: 70, 20, from: 182)
        #expect(try notified(bench) == [0], "it was over when the shelving ended")
        try report(bench, 31, 1)
        #expect(try notified(bench) == [0, 0])
    }

    @Test func `an alarm that was acknowledged while it was shelved is left alone afterwards`() throws {
        let bench = try bench()
        try report(bench, 31, 1)
        try shelve(bench, 30)
        #expect(try bench.ask("acknowledge-alarm", "{\"rule\":\"warm\",\"point\":\"p0\"}").status == 200)
        try pass(bench, minutes: 60, 31, from: 2)
        #expect(try notified(bench) == [0])
    }

    @Test func `a shelving is ended at once by shelving for no time`() throws {
        let bench = try bench()
        try report(bench, 31, 1)
        try shelve(bench, 600)
        try pass(bench, minutes: 5, 31, from: 2)
        #expect(try shelve(bench, 0) == 200 && shelved(bench) == nil)
        try bench.wait(seconds: 2)
        #expect(try notified(bench) == [0, 0])
        // An alarm that is not shelved stays as it is.
        #expect(try shelve(bench, 0) == 200)
        try bench.wait(seconds: 2)
        #expect(try notified(bench) == [0, 0])
    }

    @Test func `an alarm of old reports waits for a current one after its shelving, too`() throws {
        let bench = try bench()
        try report(bench, 31, 1)
        try shelve(bench, 60)
        try pass(bench, silentSeconds: 7200)
        #expect(try notified(bench) == [0], "there is no current report")
        try report(bench, 31, 2)
        #expect(try notified(bench) == [0, 0])
    }

    @Test func `a shelved silent point does not keep the silence of others from people`() throws {
        let bench = try bench()
        for number in 0..<10 { try pass(bench, minutes: 1, 20, from: number) }
        // Only the first point falls silent, and is shelved for a day.
        for number in 10..<60 {
            bench.clock.advance(bySeconds: 29.9)
            try bench.wait(seconds: 0.1)
            bench.clock.advance(bySeconds: 29.9)
            try bench.wait(seconds: 0.1)
            let other = Bench.ruuvi(20, UInt8(number), from: Self.addresses[1], at: bench.now)
            _ = try bench.ask("ingest-adverts", other)
        }
        #expect(try notified(bench, "p0", "silence").first == 0)
        #expect(try shelve(bench, 1440, rule: "silence") == 200)
        let before = try notified(bench, "p0", "silence")
        try pass(bench, silentSeconds: 7200)
        #expect(try notified(bench, "p1", "silence").first == 0)
        #expect(try notified(bench, "p0", "silence") == before)
        try pass(bench, silentSeconds: 86_400)
        #expect(try notified(bench, "p0", "silence").count > before.count)
    }

    @Test func `a clock that is set back does not prolong a shelving`() throws {
        let start = Instant(microseconds: 1_784_000_000_000_000)
        let ahead = start.advanced(bySeconds: 31_536_000)
        let event = AlarmShelved(
            rule: RuleID("warm"), point: PointID("p0"), until: ahead.advanced(bySeconds: 3600))
        var row = ShelvedRow(event, since: ahead, by: .person(PersonID("anna")))
        row.setBack(to: start)
        #expect(row.until == start.advanced(bySeconds: 3600) && row.since == start)
        row.setBack(to: start.advanced(bySeconds: 60))
        #expect(row.until == start.advanced(bySeconds: 3600), "a clock that is ahead of the row changes nothing")
    }

    @Test func `what cannot be shelved is refused`() throws {
        let bench = try bench()
        #expect(try shelve(bench, 60) == 404)
        try report(bench, 31, 1)
        #expect(try shelve(bench, 10_081) == 400 && shelve(bench, -1) == 400 && shelve(bench, 10_080) == 200)
    }
}
