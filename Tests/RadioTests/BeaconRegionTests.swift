import Radio
import Testing

@Suite("Regions of beacons")
struct BeaconRegionTests {
    private static let uuid = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"

    @Test(
        "the text of a region is a UUID with numbers, or a namespace with an instance",
        arguments: [
            ("ibeacon:\(uuid)", "ibeacon:\(uuid)"),
            ("iBeacon:F7826DA64FA24E988024BC5B71E0893E:1", "ibeacon:\(uuid):1"),
            ("ibeacon:\(uuid):1:65535", "ibeacon:\(uuid):1:65535"),
            ("eddystone:00112233445566778899", "eddystone:00112233445566778899"),
            ("eddystone:00112233445566778899:AABBCCDDEEFF", "eddystone:00112233445566778899:aabbccddeeff"),
        ])
    func described(text: String, description: String) {
        #expect(BeaconRegion(text)?.description == description)
    }

    @Test(
        "other texts are no regions",
        arguments: [
            "", "ibeacon", "ibeacon:", "ibeacon:\(uuid):", "ibeacon:\(uuid):65536", "ibeacon:\(uuid):1:2:3",
            "ibeacon:\(uuid.dropLast())", "ibeacon:\(uuid.dropLast())g", "eddystone:0011", "ble:c50000000001",
            "eddystone:00112233445566778899:aabb", "eddystone:https://furrow.example", "eid:0011223344556677",
        ])
    func refused(text: String) {
        #expect(BeaconRegion(text) == nil)
    }

    @Test("a region contains the beacons whose numbers begin with its own, number by number")
    func contents() {
        let around = BeaconRegion.descriptions(around: "ibeacon:\(Self.uuid):1:7")
        #expect(around == ["ibeacon:\(Self.uuid)", "ibeacon:\(Self.uuid):1", "ibeacon:\(Self.uuid):1:7"])
        #expect(around.allSatisfy { BeaconRegion($0)?.description == $0 })
        let twelve = BeaconRegion.descriptions(around: "ibeacon:\(Self.uuid):12:7")
        #expect(twelve.contains("ibeacon:\(Self.uuid):12") && !twelve.contains("ibeacon:\(Self.uuid):1"))
        #expect(BeaconRegion.descriptions(around: "ble:c50000000001").isEmpty)
    }
}
