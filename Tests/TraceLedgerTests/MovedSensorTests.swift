import EventSourcing
import Events
import Host
import JSON
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Sensors that are moved")
struct MovedSensorTests {
    private let other = DeviceID("ble:c50dfa99cb9f")

    private func measured(_ celsius: Double, _ number: UInt64, by device: DeviceID = Ledger.device) -> Measured {
        Measured(
            device: device, format: "test", readings: [Reading(.temperature, celsius)], source: "test", counter: number,
            repeats: 1, payload: "00")
    }

    @Test func `a second probe counts as a channel of its own, or at the place that it is bound to`()
        throws
    {
        let ledger = try Ledger.farm()
        let report = { (number: UInt64) in
            Measured(
                device: Ledger.device, format: "test",
                readings: [Reading(.temperature, 4), Reading(.temperature2, -18)], source: "test", counter: number,
                repeats: 1, payload: "00")
        }
        try ledger.bind("store/s1")
        ledger.pass(days: 1)
        try ledger.hear(report(1))
        let latest = { ledger.core.tables.scan(LatestRow.self, limit: 9).map { "\($0.key) \($0.value)" } }
        #expect(latest() == ["store/s1|temperature 4.0", "store/s1|temperature-2 -18.0"])
        let chart = try ledger.done("readings", #"{"place":"store/s1","quantity":"temperature-2"}"#)
        #expect(chart["items"]?.array?.count == 1)
        try ledger.bind("store/s2", device: Ledger.device.probe(2), point: "m2")
        ledger.pass(days: 1)
        try ledger.hear(report(2))
        #expect(latest().contains("store/s2|temperature -18.0"))
        #expect(counted(ledger) == ["store/s1": [-18, 4, 4], "store/s2": [-18]])
        #expect(try isRebuiltAlike(ledger))
    }

    /// Returns the values that count at each place, in the order they were measured.
    private func counted(_ ledger: Ledger) -> [String: [Double]] {
        let rows = ledger.core.tables.scan(HourRow.self, prefix: "", limit: 100)
        return Dictionary(grouping: rows) { String($0.key.prefix { $0 != "|" }) }.mapValues { $0.map(\.sum) }
    }

    private func isRebuiltAlike(_ ledger: Ledger) throws -> Bool {
        let (anew, live) = try ledger.rebuilt()
        return anew == live
    }

    @Test func `a report counts at the sensor's place when it was measured, however late it arrives`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        let inFirst = ledger.at(days: 1)
        ledger.pass(days: 2)
        try ledger.bind("store/s2", point: "m2")
        let inSecond = ledger.at(days: 1)
        ledger.pass(days: 2)
        try ledger.bind("plot/p1", point: "m3")
        ledger.pass(days: 1)
        try ledger.hear(measured(9, 3))
        try ledger.hear(measured(8, 2), at: inSecond)
        try ledger.hear(measured(4, 1), at: inFirst)
        #expect(counted(ledger) == ["store/s1": [4], "store/s2": [8], "plot/p1": [9]])
        #expect(try isRebuiltAlike(ledger))
    }

    @Test func `a report from before the sensor's first binding counts at its first place`() throws {
        let ledger = try Ledger.farm()
        let before = ledger.now
        ledger.pass(days: 1)
        try ledger.bind("store/s1")
        ledger.pass(days: 1)
        try ledger.bind("store/s2", point: "m2")
        try ledger.hear(measured(4, 1), at: before)
        #expect(counted(ledger) == ["store/s1": [4]])
        #expect(try isRebuiltAlike(ledger))
    }

    @Test func `a replaced sensor counts nowhere, and its earlier reports count at the old place`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        let there = ledger.at(days: 1)
        ledger.pass(days: 2)
        try ledger.bind("store/s1", device: other)
        ledger.pass(days: 1)
        try ledger.hear(measured(30, 2))
        try ledger.hear(measured(4, 1), at: there)
        try ledger.hear(measured(5, 1, by: other))
        #expect(counted(ledger) == ["store/s1": [4, 5]])
        #expect(try isRebuiltAlike(ledger))
    }

    @Test func `a sensor counts at its current place although it was bound while the clock was ahead`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        ledger.pass(days: 1)
        try ledger.bind("store/s2", point: "m2")
        try ledger.hear(ClockStepped(seconds: -43_200), at: ledger.at(days: -0.5))
        try ledger.hear(measured(8, 1), at: ledger.at(days: -0.25))
        #expect(counted(ledger) == ["store/s2": [8]])
        #expect(try isRebuiltAlike(ledger))
    }
}
