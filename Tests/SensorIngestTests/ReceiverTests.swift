import Events
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Silent receivers")
struct ReceiverTests {
    private static let addresses = ["cbb8334c884f", "cbb8334c8850", "cbb8334c8851"]
    private static let stores = ["cold", "cold", "barn"]

    /// Returns a bench with sensors in two stores, which a gateway receives every minute, and a person who is notified.
    private func bench(_ source: String = "gateway/barn") throws -> Bench {
        let bench = try Bench()
        for (number, address) in Self.addresses.enumerated() {
            let place = #""place":"store/\#(Self.stores[number])""#
            let body = #"{"point":"p\#(number)","title":"Shelf \#(number)",\#(place),"device":"ble:\#(address)"}"#
            #expect(try bench.ask("bind-point", body).status == 200)
        }
        let steps = #"{"steps":[{"afterMinutes":0,"people":["anna"]},{"afterMinutes":15,"people":["ben"]}]}"#
        #expect(try bench.ask("set-on-call", steps).status == 200)
        for number in 0..<10 { try report(bench, number, Self.addresses, by: source) }
        return bench
    }

    private func report(
        _ bench: Bench, _ number: Int, _ addresses: [String], by source: String = "gateway/barn"
    ) throws {
        for address in addresses {
            let batch = Bench.ruuvi(4, UInt8(number), from: address, at: bench.now)
            _ = try bench.ask("ingest-adverts", batch.dropLast() + #","source":"\#(source)"}"#)
        }
        try bench.pass(seconds: 60)
    }

    private func alarms(_ bench: Bench) throws -> [String] {
        try bench.journal().compactMap { recorded in
            switch recorded.fact {
            case .alarmRaised(let event): "raised \(event.rule) \(event.point)"
            case .alarmCleared(let event): "cleared \(event.rule) \(event.point)"
            case .alarmNotificationRequested(let event): "notified \(event.title) \(event.step)"
            default: nil
            }
        }
    }

    @Test func `a dead gateway is one notification, and not one for each place that falls silent`() throws {
        let bench = try bench()
        try bench.pass(seconds: 420)
        #expect(try alarms(bench).contains("raised receiver gateway-barn"))
        #expect(try alarms(bench).count { $0.hasPrefix("raised silence") } == 3)
        #expect(try alarms(bench).filter { $0.hasPrefix("notified") } == ["notified Gateway barn 0"])
        let raised = try #require(
            try bench.journal().compactMap { recorded -> AlarmRaised? in
                guard case .alarmRaised(let event) = recorded.fact, event.quantity == .reception else { return nil }
                return event
            }.first)
        #expect(raised.device == DeviceID("gateway/barn") && raised.place == .store(StoreID("cold")))
        #expect(raised.value >= 5 && raised.limit == 5)
        // Until it is acknowledged, the next step is notified.
        try bench.pass(seconds: 900)
        #expect(try alarms(bench).filter { $0.hasPrefix("notified") }.last == "notified Gateway barn 1")
        #expect(try alarms(bench).count { $0.hasPrefix("notified") } == 2)
        try report(bench, 20, [Self.addresses[0]])
        #expect(try alarms(bench).contains("cleared receiver gateway-barn"))
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `one sensor that fails is no silent gateway`() throws {
        let bench = try bench()
        for number in 10..<22 { try report(bench, number, Array(Self.addresses.dropFirst())) }
        #expect(try alarms(bench) == ["raised silence p0", "notified Shelf 0 0"])
    }

    @Test func `senders without a name, and sensors that another gateway receives, are no silent receivers`() throws {
        let nameless = try bench("http")
        try nameless.pass(seconds: 600)
        #expect(try alarms(nameless).count { $0.contains("receiver") } == 0)
        let bench = try bench()
        for number in 10..<22 { try report(bench, number, Self.addresses, by: "gateway/yard") }
        #expect(try alarms(bench).isEmpty)
    }

    @Test func `another gateway that takes over all sensors ends the alarm`() throws {
        let bench = try bench()
        try bench.pass(seconds: 420)
        #expect(try alarms(bench).count { $0 == "cleared receiver gateway-barn" } == 0)
        try report(bench, 20, Self.addresses, by: "gateway/yard")
        #expect(try alarms(bench).count { $0 == "cleared receiver gateway-barn" } == 1)
    }

    @Test func `a limit of the place sets the minutes, or switches the alarm off`() throws {
        for (setting, expected) in [(#""above":20"#, 1), (#""above":20,"enabled":false"#, 0)] {
            let bench = try bench()
            let body = #"{"rule":"link","place":"store/cold","quantity":"reception",\#(setting)}"#
            #expect(try bench.ask("set-rule", body).status == 200)
            try bench.pass(seconds: 1140)
            #expect(try alarms(bench).count { $0.contains("link") } == 0)
            try bench.pass(seconds: 120)
            #expect(try alarms(bench).count { $0 == "raised link gateway-barn" } == expected)
        }
        let bench = try bench()
        for body in [
            #"{"rule":"receiver","place":"store/cold","quantity":"temperature","above":20}"#,
            #"{"rule":"link","place":"store/cold","quantity":"reception","below":20}"#,
            #"{"rule":"link","point":"p0","quantity":"reception","above":20}"#,
        ] { #expect(try bench.ask("set-rule", body).status == 422) }
    }

    @Test func `an alarm of a gateway outlasts a restart, and can be acknowledged and muted`() throws {
        let bench = try bench()
        try bench.pass(seconds: 420)
        try bench.restart()
        try bench.pass(seconds: 600)
        #expect(try alarms(bench).count { $0 == "cleared receiver gateway-barn" } == 0)
        let name = #""rule":"receiver","point":"gateway-barn""#
        #expect(try bench.ask("acknowledge-alarm", "{\(name)}").status == 200)
        #expect(try bench.ask("shelve-alarm", #"{\#(name),"minutes":60}"#).status == 200)
        try bench.pass(seconds: 1800)
        #expect(try alarms(bench).filter { $0.hasPrefix("notified Gateway") } == ["notified Gateway barn 0"])
    }

    @Test func `names of receivers are unique enough, and words for people`() {
        let names = ["gateway/barn", "mqtt/barn", "znp:/dev/ttyUSB0", "hci:/run/hci.sock"]
        #expect(
            names.map(ReceiverName.title) == [
                "Gateway barn", "Gateway barn", "ZigBee coordinator /dev/ttyUSB0", "Bluetooth receiver /run/hci.sock",
            ])
        #expect(Set(names.map(ReceiverName.point)).count == names.count)
        #expect(ReceiverName.point("znp:/dev/ttyUSB0") == PointID("znp--dev-ttyUSB0"))
    }
}
