import EventSourcing
import Events
import Host
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Clocks that are set back")
struct ClockTests {
    private let device = DeviceID("ble:cbb8334c884f")

    private func hear(_ bench: Bench, _ celsius: Double, _ number: UInt8) throws {
        _ = try bench.ask("ingest-adverts", Bench.ruuvi(celsius, number, from: "cbb8334c884f", at: bench.now))
    }

    /// Records a clock step, as the event loop does when it detects one.
    private func step(_ bench: Bench, bySeconds seconds: Double) throws {
        bench.clock.set(to: bench.now.advanced(bySeconds: seconds))
        let stepped = Draft(
            ClockStepped(seconds: seconds), in: "journal", at: bench.now, by: .service(SensorIngest.name))
        try bench.core.record([stepped], at: bench.now)
        _ = try bench.core.commit()
    }

    private func row(_ bench: Bench) throws -> DeviceRow {
        try #require(bench.core.tables.get(DeviceRow.self, device.rawValue))
    }

    @Test func `after the clock is set back the newest value still advances, and late values stay late`() throws {
        let bench = try Bench()
        try hear(bench, 20, 1)
        try step(bench, bySeconds: 7200)
        try hear(bench, 21, 2)
        try step(bench, bySeconds: -7000)
        #expect(try row(bench).last == bench.now && row(bench).readings == [Events.Reading(.temperature, 21)])
        bench.clock.advance(bySeconds: 1)
        let late = bench.now.advanced(bySeconds: -60)
        _ = try bench.ask("ingest-adverts", Bench.ruuvi(30, 3, from: "cbb8334c884f", at: late))
        #expect(try row(bench).readings == [Events.Reading(.temperature, 21)])
        try hear(bench, 22, 4)
        #expect(try row(bench).last == bench.now && row(bench).readings == [Events.Reading(.temperature, 22)])
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `a packet that is repeated after the clock was set back is one report`() throws {
        let bench = try Bench()
        bench.clock.advance(bySeconds: 86_400)
        try hear(bench, 20, 1)
        try step(bench, bySeconds: -86_400)
        for number in [2, 2, 2, 3, 3] as [UInt8] {
            bench.clock.advance(bySeconds: 1)
            try hear(bench, 20, number)
        }
        #expect(try bench.measured().count == 3)
        #expect(try row(bench).reports == 3)
    }
}
