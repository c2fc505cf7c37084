import EventSourcing
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Reports received by two slots")
struct TwoSlotsTests {
    private let device = DeviceID("ble:cbb8334c884f")

    private func batch(_ celsius: Double, _ number: UInt8, at time: Instant, rssi: Int = -70) -> String {
        Bench.ruuvi(celsius, number, from: "cbb8334c884f", at: time, rssi: rssi)
    }

    private func primary() throws -> Bench {
        let bench = try Bench()
        _ = try bench.ask(
            "bind-point", "{\"point\":\"p1\",\"title\":\"Top\",\"place\":\"store/cold\",\"device\":\"\(device)\"}")
        _ = try bench.ask(
            "set-rule", "{\"rule\":\"warm\",\"place\":\"store/cold\",\"quantity\":\"temperature\",\"above\":30}")
        return bench
    }

    private func alarms(_ bench: Bench) throws -> [String] {
        try bench.journal().compactMap { told in
            switch told.fact {
            case .alarmRaised(let event): "raised \(event.value)"
            case .alarmCleared(let event): "cleared \(event.value)"
            case .measured, .rawReported, .reportHeard, .beaconHeard, .quarantined, .pointBound, .ruleSet,
                .deviceIdentified,
                .valuesRefused, .advertKept, .advertDecoded, .alarmNotificationRequested,
                .alarmAcknowledged, .alarmShelved, .onCallSet, .deviceCalibrated, .pointRetired,
                .networkFormed, .joiningPermitted, .deviceJoined, .deviceInterviewed, .deviceRemoved, .deviceLeft,
                .beaconRegionSet, .beaconRegionRemoved, .beaconRegionEntered, .beaconRegionLeft:
                nil
            }
        }
    }

    private func row(_ bench: Bench) throws -> DeviceRow {
        try #require(bench.core.tables.get(DeviceRow.self, device.rawValue))
    }

    @Test func `a report of two slots has one id, and slot 0 counts it once with the better signal strength`() throws {
        let (primary, second) = (try primary(), try Bench(slot: 1))
        let heardAt = primary.now
        _ = try primary.ask("ingest-adverts", batch(31, 1, at: heardAt, rssi: -90))
        _ = try second.ask("ingest-adverts", batch(31, 1, at: heardAt, rssi: -40))
        try primary.hear(from: second)
        let ids = try [primary, second].map { bench in
            try bench.journal().filter { if case .measured = $0.fact { true } else { false } }.map(\.envelope.id)
        }
        #expect(ids[0].count == 1 && ids[0] == ids[1])
        let row = try row(primary)
        #expect(row.reports == 1 && row.copies == 1 && row.rssi == -40)
        #expect(try alarms(primary) == ["raised 31.0"])
        let (anew, live) = try primary.rebuilt(with: [second])
        #expect(anew == live)
    }

    @Test func `a late copy of a report with a later time raises no further alarm`() throws {
        let (primary, second) = (try primary(), try Bench(slot: 1))
        _ = try primary.ask("ingest-adverts", batch(31, 1, at: primary.now))
        try primary.wait(seconds: 1)
        _ = try primary.ask("ingest-adverts", batch(20, 2, at: primary.now))
        try primary.wait(seconds: 5)
        second.clock.set(to: primary.now)
        _ = try second.ask("ingest-adverts", batch(31, 1, at: second.now))
        try primary.hear(from: second)
        #expect(try alarms(primary) == ["raised 31.0", "cleared 20.0"])
        #expect(try row(primary).last != second.now)
        // The same value with another number is a new report, whichever slot received it.
        let third = try Bench(slot: 2)
        third.clock.set(to: primary.now)
        _ = try third.ask("ingest-adverts", batch(31, 3, at: third.now))
        try primary.hear(from: third)
        #expect(try alarms(primary) == ["raised 31.0", "cleared 20.0", "raised 31.0"])
    }

    @Test func `a copy of another slot's report is recognised after the hub has delivered it`() throws {
        let (primary, second) = (try primary(), try Bench(slot: 1))
        // A report before, so that slot 0 has the device in memory.
        _ = try primary.ask("ingest-adverts", batch(20, 1, at: primary.now))
        _ = try second.ask("ingest-adverts", batch(21, 2, at: second.now))
        try primary.hear(from: second)
        let answer = try primary.ask("ingest-adverts", batch(21, 2, at: primary.now))
        #expect(try answer.json.get("known", as: Int.self) == 1)
        #expect(try row(primary).reports == 2)
    }

    @Test func `a report of three slots counts once and has two copies`() throws {
        let primary = try primary()
        for slot in [2, 1, 3] {
            let bench = try Bench(slot: slot)
            _ = try bench.ask("ingest-adverts", batch(21, 2, at: primary.now))
            try primary.hear(from: bench)
        }
        let row = try row(primary)
        #expect(row.reports == 1 && row.copies == 2)
    }
}
