import JSON
import Testing
import Vocabulary

@testable import Radio

@Suite("Beacons")
struct BeaconTests {
    @Test func `the decoder identifies the beacon in every supported test vector`() throws {
        guard let lines = try Vectors.lines("ble/beacons.jsonl") else { return }
        var tally = Tally("ble/beacons.jsonl")
        for line in lines {
            let format = line["format"]?.string ?? ""
            var bytes = try #require(line["hex"]?.hexBytes)
            if format.hasPrefix("ibeacon-ble/") { bytes = [UInt8(bytes.count + 1), ADType.manufacturer] + bytes }
            let decoded = AdvertisementDecoder().decode(Advertisement(address: 1, data: bytes))
            guard let expected = line["expected"], !expected.isNull else {
                if format == "ibeacon-ble/tilt_service_info" {
                    // An ordinary iBeacon, whose UUID the other reader excludes.
                    tally.leaveOut("a UUID that the other reader bans")
                } else {
                    tally.note(decoded.beacons.isEmpty, "\(format) \(decoded)")
                }
                continue
            }
            let name = expected["type"]?.string ?? expected["frame"]?.string ?? "iBeacon"
            if name.hasPrefix("Estimote") || name.hasPrefix("Exposure") {
                tally.leaveOut(name)
                continue
            }
            if ["0303aafe0816aafe10ee00676f6f07", "0201060303aafe1116aafe2001414141414141414141414141deadbeff"]
                .contains(line["hex"]?.string)
            {
                tally.leaveOut("whose AD length is shorter than the frame")
                continue
            }
            tally.note(decoded.beacons.first?.kind.agrees(with: expected) ?? false, "\(format) \(decoded)")
        }
        tally.finish(floor: 27)
    }

    @Test func `encrypted beacon telemetry is decoded without decryption`() throws {
        let bytes = try #require(Hex.decode("0201060303aafe1516aafe2001414141414141414141414141deadbeff"))
        let decoded = AdvertisementDecoder().decode(Advertisement(address: 1, data: bytes))
        #expect(
            decoded.beacons.map(\.kind) == [
                .eddystoneEncryptedTLM(data: Array(repeating: 0x41, count: 12), salt: 0xDEAD, mic: 0xBEFF)
            ])
        #expect(decoded.reports.isEmpty)
    }

    @Test func `a beacon's own temperature becomes a report`() throws {
        let bytes = try #require(Hex.decode("0303aafe1116aafe20000bb8fe800000000a00000064"))
        let decoded = AdvertisementDecoder().decode(Advertisement(address: 1, rssi: -70, data: bytes))
        let report = try #require(decoded.reports.first)
        #expect(report.holds([(.temperature, -1.5), (.voltage, 3)]))
        #expect(report.counter == 10)
        #expect(report.rssi == -70)
    }

    @Test func `a beacon's identity does not depend on its address`() throws {
        let bytes = try #require(Hex.decode("1aff4c000215426c7565436861726d426561636f6e730efe1355c5"))
        let one = AdvertisementDecoder().decode(Advertisement(address: 1, data: bytes)).beacons.first
        let other = AdvertisementDecoder().decode(Advertisement(address: 2, data: bytes)).beacons.first
        #expect(one?.identity == "ibeacon:426c7565-4368-6172-6d42-6561636f6e73:3838:4949")
        #expect(one?.identity == other?.identity)
    }
}

extension Beacon.Kind {
    /// Compares with a test vector; the deviations of its reader from the specification are handled here.
    fileprivate func agrees(with expected: JSONAny) -> Bool {
        func same(_ value: Int, _ names: String...) -> Bool {
            names.contains { expected[$0]?.number == Double(value) }
        }
        switch self {
        case .iBeacon(let uuid, let major, let minor, let power):
            return expected["uuid"]?.string == UUIDText.dashed(Hex.encode(uuid)) && same(Int(major), "major")
                && same(Int(minor), "minor") && same(power, "tx_power", "measured_power")
        case .eddystoneUID(let namespace, let instance, let power):
            return expected["namespace"]?.string == Hex.encode(namespace)
                && expected["instance"]?.string == Hex.encode(instance) && same(power, "tx_power")
        case .eddystoneURL(let url, let power):
            return expected["url"]?.string == url && same(power, "tx_power", "tx_power_0m")
        case .eddystoneTLM(let volts, let celsius, let advertisements, let seconds):
            let isFromSpecification = expected["frame"] != nil
            let millivolts = (expected["voltage"] ?? expected["battery_mv"])?.number
            let temperature = (expected["temperature"] ?? expected["temperature_c"])?.number
            return volts.map { $0 * 1000 } == millivolts && celsius == temperature
                && same(Int(advertisements), "advertising_count", "adv_count")
                // beacontools leaves tenths of a second as they are.
                && expected[isFromSpecification ? "seconds" : "seconds_since_boot"]?.number
                    == (isFromSpecification ? seconds : seconds * 10)
        case .eddystoneEncryptedTLM: return false
        case .eddystoneEID(let identifier, let power):
            return expected["eid"]?.string == Hex.encode(identifier) && same(power, "tx_power", "tx_power_0m")
        }
    }
}

@Suite("Ephemeral identifiers and distances of beacons")
struct BeaconKeyTests {
    @Test func `the ephemeral identifier of a beacon is computed from its key and clock`() throws {
        guard let lines = try Vectors.lines("ble/beacons.jsonl") else { return }
        var tally = Tally("ble/beacons.jsonl (ephemeral identifiers)")
        for line in lines where line["format"]?.string == "eddystone/eid-generated" {
            let expected = try #require(line["expected"])
            let identifier = EphemeralIdentifier.identifier(
                key: try #require(expected["identity_key"]?.hexBytes),
                seconds: UInt32(try #require(expected["time"]?.number)),
                exponent: UInt8(try #require(expected["k"]?.number)))
            tally.note(identifier == expected["eid"]?.hexBytes, "\(line)")
        }
        tally.finish(floor: 4)
        #expect(EphemeralIdentifier.identifier(key: [1], seconds: 0, exponent: 0) == nil)
    }

    @Test func `the distance of a beacon is estimated from its signal strength`() throws {
        guard let lines = try Vectors.lines("ble/ranging.jsonl") else { return }
        var tally = Tally("ble/ranging.jsonl")
        for line in lines {
            guard let power = line["measured_power"]?.number, let rssi = line["rssi"]?.number,
                let expected = line["expected"]
            else {
                tally.leaveOut("without a signal")
                continue
            }
            let isLog = [("n2", 2.0), ("n2.7", 2.7), ("n3.5", 3.5)].allSatisfy { name, exponent in
                guard let theirs = expected["log_distance_\(name)_m"]?.number else { return true }
                return Ranging.logDistance(rssi: Double(rssi), power: Double(power), exponent: exponent).isClose(
                    to: theirs)
            }
            tally.note(isLog, "\(line)")
        }
        tally.finish(floor: 52)
    }
}
