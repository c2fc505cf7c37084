import EventSourcing
import Events
import Host
import JSON
import Radio
import TestKit
import Testing
import Vocabulary

@Suite("Implausible values")
struct PlausibilityTests {
    /// Returns a batch in ATC's format: address, 0.1 °C, %, battery %, mV, counter.
    private func atc(_ tenths: Int16, _ number: UInt8) -> String {
        let raw = UInt16(bitPattern: tenths)
        let packet =
            "10161a18c0ffee000001" + Hex.encode([UInt8(raw >> 8), UInt8(raw & 0xFF), 0x32, 0x50, 0x0B, 0x54, number])
        return "{\"adverts\":[{\"address\":\"c0:ff:ee:00:00:01\",\"hex\":\"\(packet)\"}]}"
    }

    @Test func `an implausible value is stored with its reason, and the rest of the report is recorded`() throws {
        let bench = try Bench()
        let answer = try bench.ask("ingest-adverts", atc(5658, 7))
        #expect(try answer.json.get("refused", as: Int.self) == 1)
        #expect(try answer.json.get("measurements", as: Int.self) == 1)
        #expect(try bench.measured().first?.readings.map(\.quantity) == [.humidity, .battery, .voltage])
        let refused = try #require(try bench.refused().first)
        #expect(refused.values == [RefusedValue(.temperature, 565.8, because: "out-of-range")])
        #expect(refused.device == DeviceID("ble:c0ffee000001") && refused.format == "atc")
        let listed = try #require(try bench.ask("devices", "{}").json["items"]?.array?.first { _ in true })
        #expect(listed["readings"]?.array?.count == 3)
        #expect(try listed["refused"]?.get("value", as: Double.self) == 565.8)
        #expect(try listed["refused"]?.get("reason", as: String.self) == "out-of-range")
        let (anew, live) = try bench.rebuilt()
        #expect(anew == live)
    }

    @Test func `an implausible value raises no alarm and clears none`() throws {
        let bench = try Bench()
        _ = try bench.ask(
            "bind-point", "{\"point\":\"p1\",\"title\":\"T\",\"place\":\"store/s3\",\"device\":\"ble:c0ffee000001\"}")
        _ = try bench.ask(
            "set-rule", "{\"rule\":\"warm\",\"place\":\"store/s3\",\"quantity\":\"temperature\",\"above\":30}")
        for (tenths, number) in [(Int16(5658), UInt8(1)), (310, 2), (-3000, 3)] {
            _ = try bench.ask("ingest-adverts", atc(tenths, number))
            try bench.wait(seconds: 10)
        }
        let alarms = try bench.journal().compactMap { recorded in
            switch recorded.fact {
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
        #expect(alarms == ["raised 31.0"])
    }

    private static let edges: [(Quantity, SensorKind, good: [Double], bad: [Double])] = [
        (.temperature, .any, [-86, 4, 121], [-100, 565.8, -256.11, .nan, .infinity]),
        (.temperature, .dht11, [0, 50], [70, -25]),
        (.temperature, .ruuvi, [-40, 85], [163.83, -163.83]),
        (.temperature, .thermometer, [-30, 60], [127]),
        (.temperature2, .any, [-18], [-100]),
        (.pressure, .any, [330, 1085], [0, 137_682]),
        (.humidity, .any, [0, 100], [100.1, -1]),
        (.illuminance, .any, [0, 130_000], [16_777_215]),
        (.co2, .any, [400, 40_000], [1_000_000]),
    ]

    /// Mutants of the ranges. The edges above must distinguish each of them from the real ranges.
    private static let mutants: [(String, @Sendable (Quantity, SensorKind) -> ClosedRange<Double>)] = [
        ("everything", { _, _ in -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude }),
        ("what the quantity can be at all", { quantity, _ in quantity.possible }),
        ("the same for every kind", { quantity, _ in quantity.plausible(for: .any) }),
        ("of the first probe only", { $0.probe.channel > 1 ? -1e9...1e9 : $0.plausible(for: $1) }),
        ("room temperatures", { $0.probe.quantity == .temperature ? 0...50 : $0.plausible(for: $1) }),
    ]

    private static func misjudged(_ range: (Quantity, SensorKind) -> ClosedRange<Double>) -> Int {
        edges.reduce(0) { count, edge in
            let range = range(edge.0, edge.1)
            return count + edge.good.count { !range.contains($0) } + edge.bad.count { range.contains($0) }
        }
    }

    @Test func `implausible values are distinguished from rare ones by quantity and kind of device`() {
        #expect(Self.misjudged { $0.plausible(for: $1) } == 0)
        for (name, mutant) in Self.mutants { #expect(Self.misjudged(mutant) > 0, "a mutant passes: \(name)") }
        print(
            "plausibility: \(Self.edges.reduce(0) { $0 + $1.good.count + $1.bad.count }) edges, \(Self.mutants.count) mutants"
        )
    }
}
