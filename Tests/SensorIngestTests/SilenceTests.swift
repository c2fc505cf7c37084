import Events
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Silent measuring points")
struct SilenceTests {
    private static let addresses = ["cbb8334c884f", "cbb8334c8850"]

    /// Returns a bench with two sensors in a store, which report every minute, and a person who is notified.
    private func bench() throws -> Bench {
        let bench = try Bench()
        for (number, address) in Self.addresses.enumerated() {
            let body =
                "{\"point\":\"p\(number)\",\"title\":\"Shelf \(number)\",\"place\":\"store/cold\","
                + "\"device\":\"ble:\(address)\"}"
            #expect(try bench.ask("bind-point", body).status == 200)
        }
        let steps = "{\"steps\":[{\"afterMinutes\":0,\"people\":[\"anna\"]}]}"
        #expect(try bench.ask("set-on-call", steps).status == 200)
        for number in 0..<10 { try report(bench, number, Self.addresses, then: 60) }
        return bench
    }

    private func report(_ bench: Bench, _ number: Int, _ addresses: [String], then seconds: Double) throws {
        for address in addresses {
            _ = try bench.ask("ingest-adverts", Bench.ruuvi(4, UInt8(number), from: address, at: bench.now))
        }
        try bench.pass(seconds: seconds)
    }

    private func alarms(_ bench: Bench) throws -> [String] {
        try bench.journal().compactMap { recorded in
            switch recorded.fact {
            case .alarmRaised(let event): "raised \(event.rule) \(event.point)"
            case .alarmCleared(let event): "cleared \(event.rule) \(event.point)"
            case .alarmNotificationRequested(let event): "notified \(event.point)"
            default: nil
            }
        }
    }

    @Test func `a point whose device misses three intervals raises an alarm until it reports again`() throws {
        let bench = try bench()
        for number in 10..<13 { try report(bench, number, [Self.addresses[1]], then: 60) }
        #expect(try alarms(bench).isEmpty, "three intervals of a minute are less than the shortest patience")
        for number in 13..<16 { try report(bench, number, [Self.addresses[1]], then: 60) }
        #expect(try alarms(bench) == ["raised silence p0", "notified p0"])
        let raised = try #require(
            try bench.journal().compactMap { if case .alarmRaised(let event) = $0.fact { event } else { nil } }.first)
        #expect(raised.quantity == .silence && raised.limit == 5 && raised.value >= 5)
        try report(bench, 17, Self.addresses, then: 60)
        #expect(try alarms(bench) == ["raised silence p0", "notified p0", "cleared silence p0"])
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `points of one place that fall silent together cause one notification`() throws {
        let bench = try bench()
        try bench.pass(seconds: 7200)
        let events = try alarms(bench)
        #expect(events.count { $0.hasPrefix("raised") } == 2)
        #expect(events.count { $0.hasPrefix("notified") } == 1)
    }

    @Test func `a limit of the place replaces the learnt interval, and switches the alarms off`() throws {
        for (setting, expected) in [("\"above\":60", 1), ("\"above\":60,\"enabled\":false", 0)] {
            let bench = try bench()
            let body = "{\"rule\":\"quiet\",\"place\":\"store/cold\",\"quantity\":\"silence\",\(setting)}"
            #expect(try bench.ask("set-rule", body).status == 200)
            try bench.pass(seconds: 3300)
            #expect(try alarms(bench).isEmpty)
            try bench.pass(seconds: 600)
            #expect(try alarms(bench).count { $0 == "raised quiet p0" } == expected)
        }
    }

    @Test func `a server that was off counts silence from its start`() throws {
        let bench = try bench()
        bench.clock.advance(bySeconds: 172_800)
        try bench.restart()
        try bench.pass(seconds: 240)
        #expect(try alarms(bench).isEmpty)
        try bench.pass(seconds: 120)
        #expect(try alarms(bench).count { $0.hasPrefix("raised") } == 2)
        // Alarms that are on outlast another restart, until the devices report.
        try bench.restart()
        try bench.pass(seconds: 600)
        #expect(try alarms(bench).count { $0.hasPrefix("cleared") } == 0)
        try report(bench, 20, Self.addresses, then: 60)
        #expect(try alarms(bench).count { $0.hasPrefix("cleared") } == 2)
    }

    @Test func `a clock that is moved and a machine that slept raise no alarm`() throws {
        let bench = try bench()
        bench.clock.advance(bySeconds: 172_800)
        try bench.wait(seconds: 0.1)
        try bench.pass(seconds: 120)
        #expect(try alarms(bench).isEmpty)
    }

    @Test func `points that report again one after the other cause no further notifications`() throws {
        let bench = try bench()
        try bench.pass(seconds: 600)
        #expect(try alarms(bench).count { $0.hasPrefix("notified") } == 1)
        try report(bench, 20, [Self.addresses[0]], then: 120)
        #expect(try alarms(bench).count { $0.hasPrefix("cleared") } == 1)
        try report(bench, 21, Self.addresses, then: 60)
        #expect(try alarms(bench).count { $0.hasPrefix("notified") } == 1)
    }

    @Test func `a point that falls silent long after another one of its place is notified of, too`() throws {
        let bench = try bench()
        for number in 10..<130 { try report(bench, number, [Self.addresses[1]], then: 60) }
        #expect(try alarms(bench) == ["raised silence p0", "notified p0"])
        try bench.pass(seconds: 600)
        #expect(try alarms(bench).last == "notified p1")
    }

    @Test func `a limit of silence has minutes above only, and the reserved name is refused for others`() throws {
        let bench = try bench()
        for body in [
            "{\"rule\":\"q\",\"place\":\"store/cold\",\"quantity\":\"silence\",\"below\":5}",
            "{\"rule\":\"q\",\"place\":\"store/cold\",\"quantity\":\"silence\",\"above\":0.5}",
            "{\"rule\":\"silence\",\"place\":\"store/cold\",\"quantity\":\"temperature\",\"above\":8}",
        ] { #expect(try bench.ask("set-rule", body).status == 422, "\(body)") }
    }
}
