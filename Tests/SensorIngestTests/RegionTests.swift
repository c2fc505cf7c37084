import EventSourcing
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary
import Wire

@testable import SensorIngest

@Suite("Readers in regions of beacons")
struct RegionTests {
    private static let uuid = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"
    private static let shed = #"{"region":"shed","title":"Shed","beacons":"ibeacon:\#(uuid):1"}"#

    @Test("a reader enters a region with its first beacon, and leaves 30 s after the last one")
    func visit() throws {
        let bench = try Bench()
        #expect(try bench.ask("set-beacon-region", Self.shed).status == 200)
        #expect(
            try bench.ask("set-beacon-region", Self.shed.replacing("shed", with: "all").replacing(":1", with: ""))
                .status == 200)
        for minor in [7, 8, 7] {
            try near(bench, major: 1, minor)
            try bench.wait(seconds: 2)
        }
        try near(bench, major: 2, 1)
        try bench.wait(seconds: 20)
        try near(bench, major: 2, 1)
        #expect(try readers(bench) == ["all: gateway/phone", "shed: gateway/phone"])
        try bench.wait(seconds: 15)
        #expect(try readers(bench) == ["all: gateway/phone"])
        try bench.wait(seconds: 30)
        #expect(try readers(bench) == [])
        let phone = "gateway/phone"
        #expect(
            try visits(bench) == [
                "all entered by \(phone), 1:7", "shed entered by \(phone), 1:7", "shed left by \(phone)",
                "all left by \(phone)",
            ])
    }

    @Test("after a restart a reader that is still there stays, and one that is gone leaves after 30 s")
    func restart() throws {
        let bench = try Bench()
        try bench.ask("set-beacon-region", Self.shed)
        for reader in ["gateway/a", "gateway/b"] { try near(bench, major: 1, 7, by: reader) }
        try bench.restart()
        try bench.wait(seconds: 20)
        try near(bench, major: 1, 8, by: "gateway/a")
        try bench.wait(seconds: 15)
        #expect(try readers(bench) == ["shed: gateway/a"])
        #expect(try visits(bench).filter { $0.contains("entered") }.count == 2)
    }

    @Test("a region with other beacons starts without readers, and a removed one is entered by none")
    func changed() throws {
        let bench = try Bench()
        try bench.ask("set-beacon-region", Self.shed)
        try near(bench, major: 1, 7)
        #expect(try bench.ask("set-beacon-region", Self.shed.replacing("Shed", with: "Barn")).status == 200)
        #expect(try readers(bench) == ["shed: gateway/phone"])
        try bench.ask("set-beacon-region", Self.shed.replacing(":1", with: ":2"))
        #expect(try readers(bench) == [])
        #expect(try bench.ask("remove-beacon-region", #"{"region":"shed"}"#).status == 200)
        #expect(try bench.ask("remove-beacon-region", #"{"region":"shed"}"#).status == 404)
        try near(bench, major: 2, 7)
        #expect(try visits(bench).count == 1)
        #expect(try bench.ask("set-beacon-region", Self.shed.replacing(Self.uuid, with: "1")).status == 422)
    }

    @Test("only another slot sends what its readers receive, and only slot 0 takes it")
    func refused() throws {
        let body = #"{"reader":"a","at":"2026-07-14T10:00:00Z","beacons":[]}"#
        #expect(try Bench().ask("beacons-near", body).status == 403)
        #expect(try Bench(slot: 1).ask("beacons-near", body).status == 421)
        #expect(SensorIngest.allowedVerbs == ["sensor-ingest": ["beacons-near"]])
    }

    @Test("the number of regions is limited")
    func limit() throws {
        let bench = try Bench()
        for number in 0..<SensorLimits.regions {
            let body = Self.shed.replacing(#""shed""#, with: #""shed-\#(number)""#)
            #expect(try bench.ask("set-beacon-region", body).status == 200)
        }
        #expect(try bench.ask("set-beacon-region", Self.shed).status == 409)
    }

    /// Sends what a reader of another slot receives: one beacon.
    private func near(_ bench: Bench, major: Int, _ minor: Int, by reader: String = "gateway/phone") throws {
        let body =
            #"{"reader":"\#(reader)","at":"2026-07-14T10:00:00Z","beacons":"#
            + #"[{"beacon":"ble:c50000000001"},{"beacon":"ibeacon:\#(Self.uuid):\#(major):\#(minor)"}]}"#
        let ask = Request(
            id: 1, verb: "beacons-near", body: Array(body.utf8), actor: .service("sensor-ingest"), key: nil,
            entropy: [])
        #expect(try bench.take(.asked(ask)).map(\.status) == [200])
    }

    private func readers(_ bench: Bench) throws -> [String] {
        try bench.ask("beacon-regions", "{}").json.get("items", as: [JSONValue].self).flatMap { region in
            let name: String = try region.get("region")
            return try region.get("readers", as: [JSONValue].self).map {
                "\(name): \(try $0.get("reader", as: String.self))"
            }
        }
    }

    private func visits(_ bench: Bench) throws -> [String] {
        try bench.journal().compactMap { recorded in
            switch recorded.fact {
            case .beaconRegionEntered(let event):
                "\(event.region) entered by \(event.reader), "
                    + event.beacon.split(separator: ":").suffix(2).joined(separator: ":")
            case .beaconRegionLeft(let event): "\(event.region) left by \(event.reader)"
            default: nil
            }
        }
    }
}
