import Host
import JSON
import Radio
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Beacons around a reader")
struct NearbyBeaconsTests {
    private static let start = Instant(microseconds: 1_800_000_000_000_000)
    private static let identity = "ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1:7"
    private static let address = DeviceID("ble:c50000000001")

    @Test("a reader's beacons are sent once a second, and a last time without beacons when nothing is received")
    func sent() throws {
        var nearby = NearbyBeacons()
        var bodies: [String] = []
        for tenth in 0..<200 {
            let now = Self.start.advanced(bySeconds: Double(tenth) / 10)
            if tenth < 60 { nearby.receive([reception(-45, at: now)]) }
            bodies += nearby.due(at: now).map(Self.body)
        }
        // A reception is sent with the next second; 10 s after the last one the reader is gone.
        #expect(bodies.count == 8)
        #expect(bodies[5].contains(#""nearest":"\#(Self.identity)""#))
        #expect(bodies[5].contains(#""proximity":"immediate","perSecond":10.0,"isFound":true"#))
        #expect(bodies.last.map { $0.hasSuffix(#""beacons":[]}"#) } == true)
    }

    @Test("the telemetry of a beacon is joined by its address")
    func telemetry() {
        var nearby = NearbyBeacons()
        nearby.receive([reception(-60, at: Self.start)])
        let uuid = [UInt8](repeating: 1, count: 16)
        let beacon = Beacon(device: Self.address, kind: .iBeacon(uuid: uuid, major: 1, minor: 7, power: -59))
        let frame = Beacon.Kind.eddystoneTLM(volts: 2.9, celsius: 4.5, advertisements: 1, seconds: 1)
        nearby.note([beacon, Beacon(device: Self.address, kind: frame)])
        nearby.receive([
            BeaconReception(
                reader: "gateway/barn", beacon: beacon.identity ?? "", rssi: -70, power: -59, at: Self.start)
        ])
        let body = nearby.due(at: Self.start).map(Self.body).first ?? ""
        #expect(body.contains(#""volts":2.9,"celsius":4.5"#))
    }

    @Test("the number of readers is limited")
    func readers() {
        var nearby = NearbyBeacons()
        for number in 0...SensorLimits.readers {
            nearby.receive([
                BeaconReception(
                    reader: "gateway/\(number)", beacon: "a", rssi: -60, power: nil, at: Self.start)
            ])
        }
        #expect(nearby.due(at: Self.start).count == SensorLimits.readers)
    }

    private func reception(_ rssi: Int, at time: Instant) -> BeaconReception {
        BeaconReception(reader: "gateway/barn", beacon: Self.identity, rssi: rssi, power: -59, at: time)
    }

    private static func body(_ reading: NearbyReading) -> String { String(decoding: reading.json, as: UTF8.self) }
}
