import EventSourcing
import Events
import Host
import JSON
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Calibrations in the ledger")
struct CalibrationTests {
    private let query = #"{"place":"store/s1","quantity":"temperature","resolution":"1h"}"#

    private func calibrate(_ ledger: Ledger, offset: Double, factor: Double = 1) throws {
        try ledger.hear(
            DeviceCalibrated(device: Ledger.device, quantity: .temperature, factor: factor, offset: offset))
    }

    private func means(_ ledger: Ledger) throws -> [Double] {
        try ledger.done("readings", query).items("items").map { try $0.get("mean") }
    }

    @Test func `each report has the correction of its own time, also if it arrives late`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        let before = ledger.now.advanced(bySeconds: 60)
        try ledger.measure(4)
        ledger.pass(days: 1)
        try calibrate(ledger, offset: -0.4)
        ledger.pass(days: 1)
        try ledger.measure(4)
        ledger.pass(days: 1)
        try calibrate(ledger, offset: 1, factor: 2)
        ledger.pass(days: 1)
        try ledger.measure(4)
        try ledger.measure(6, at: before)
        #expect(try means(ledger) == [5, 3.6, 9])
        #expect(ledger.core.tables.get(LatestRow.self, "store/s1|temperature")?.value == 9)
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }

    @Test func `a calibration stays with its device when the point gets another one`() throws {
        let ledger = try Ledger.farm()
        let other = DeviceID("ble:0000000000aa")
        try ledger.bind("store/s1")
        try calibrate(ledger, offset: -1)
        try ledger.measure(4)
        ledger.pass(days: 1)
        try ledger.bind("store/s1", device: other)
        try ledger.measure(4, device: other)
        ledger.pass(days: 1)
        try ledger.bind("store/s1")
        try ledger.measure(4)
        #expect(try means(ledger) == [3, 4, 3])
    }

    @Test func `a calibration under a clock that was ahead is valid once the clock is right`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        try ledger.hear(
            DeviceCalibrated(device: Ledger.device, quantity: .temperature, factor: 1, offset: -1),
            at: ledger.at(days: 3))
        try ledger.measure(4)
        ledger.pass(days: 1)
        ClimateViews.setBack(to: ledger.now, in: ledger.core.tables)
        try ledger.measure(4)
        #expect(try means(ledger) == [4, 3])
    }

    @Test func `reports after a point was retired count nowhere, and its history stays`() throws {
        let ledger = try Ledger.farm()
        try ledger.bind("store/s1")
        try ledger.measure(4)
        ledger.pass(days: 1)
        try ledger.hear(PointRetired(point: PointID("m1")))
        try ledger.measure(9)
        #expect(try means(ledger) == [4])
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }

    @Test func `values that people read count at the place of their point, also without a device`() throws {
        let ledger = try Ledger.farm()
        let point = PointID("m1")
        try ledger.hear(PointBound(point: point, title: "Point", place: .store("s1")))
        try ledger.hear(Measured.manual([Reading(.temperature, 4)], at: point, source: "person"))
        ledger.pass(days: 1)
        try ledger.hear(PointBound(point: point, title: "Point", place: .store("s2")))
        try ledger.hear(Measured.manual([Reading(.temperature, 5)], at: point, source: "person"))
        #expect(try means(ledger) == [4])
        let history = try ledger.done("readings", #"{"point":"m1","quantity":"temperature"}"#)
        #expect(try history.items("items").map { try $0.get("mean", as: Double.self) } == [4, 5])
        let (anew, live) = try ledger.rebuilt()
        #expect(anew == live)
    }
}
