import JSON
import Testing
import Vocabulary

@testable import Radio

@Suite("Broadcasting sensors")
struct BroadcastTests {
    @Test func `BTHome packets of both versions are decoded, unencrypted and encrypted`() throws {
        guard let lines = try Vectors.lines("ble/bthome.jsonl") else { return }
        var tally = Tally("ble/bthome.jsonl")
        for line in lines {
            let expected = try #require(line[path: "expected", "values"])
            let decoded = decode(line)
            let report = decoded.reports.first { $0.protocolName.hasPrefix("bthome") }
            if line["seq"]?.number ?? 0 > 0, report == nil || decoded.packetID != expected["packet_id"]?.number {
                // The expected values are those of earlier packets; the repeat rules have tests of their own.
                tally.leaveOut("that show the packet before")
                continue
            }
            let isSealed = !decoded.sealed.isEmpty
            let isUnread = line[path: "state", "decryption_failed"] == .bool(true) && isSealed
            tally.note(
                (report ?? Report.nothing).agrees(with: expected, flags: line[path: "expected", "binary"] ?? .null)
                    && (isUnread || !isSealed)
                    && (decoded.packetID == nil || decoded.packetID == expected["packet_id"]?.number),
                "\(line["hex"]?.string ?? "") \(decoded)")
        }
        tally.finish(floor: 113)
    }

    @Test func `MiBeacon packets are decoded, unencrypted and encrypted with a tag`() throws {
        guard let lines = try Vectors.lines("ble/xiaomi.jsonl") else { return }
        var tally = Tally("ble/xiaomi.jsonl")
        for line in lines {
            let expected = try #require(line[path: "expected", "values"])
            let model = line[path: "expected", "devices", "", "model"]?.string ?? ""
            let version = line[path: "expected", "devices", "", "sw_version"]?.string ?? ""
            if ["(MiBeacon V2 encrypted)", "(MiBeacon V3 encrypted)"].contains(where: version.contains) {
                tally.leaveOut("encrypted without a check")
                continue
            }
            let decoded = decode(line)
            let report = decoded.reports.first ?? .nothing
            tally.note(
                report.agrees(with: expected, isLater: line["seq"]?.number ?? 0 > 0),
                "\(model) \(line["hex"]?.string ?? "") \(decoded) \(expected)")
        }
        tally.finish(floor: 122)
    }

    @Test func `whole packets are decoded as another gateway decodes them`() throws {
        guard let lines = try Vectors.lines("ble/hci-ble_monitor.jsonl") else { return }
        var tally = Tally("ble/hci-ble_monitor.jsonl")
        let supported = ["atc", "bparasite", "bthome_v1", "bthome_v2", "hhcc", "ibeacon", "ruuvitag", "xiaomi"]
        for line in lines {
            let format = String(line["format"]?.string?.dropFirst(4) ?? "")
            let expected = line[path: "expected", "sensor"] ?? .null
            let firmware = expected["firmware"]?.string ?? ""
            let packet = try HCIPacket(try #require(line["hex"]?.hexBytes))
            let advertisement = try #require(packet.advertisements.first)
            #expect(packet.problem == nil)
            guard supported.contains(format) else {
                tally.leaveOut(format)
                continue
            }
            if ["Ruuvitag V2", "Ruuvitag V4"].contains(firmware)
                || firmware.contains("V2 encrypted") || firmware.contains("V3 encrypted")
            {
                tally.leaveOut("\(format): \(firmware)")
                continue
            }
            let decoded = AdvertisementDecoder(keys: keys(line)).decode(advertisement)
            guard !expected.isNull else {
                tally.note(decoded.reports.isEmpty && decoded.beacons.isEmpty, "\(format) \(decoded)")
                continue
            }
            let address = expected["mac"]?.string?.lowercased() ?? ""
            if format == "ibeacon" {
                tally.note(
                    decoded.beacons.first?.identity?.hasPrefix(
                        "ibeacon:" + UUIDText.dashed(expected["uuid"]?.string ?? "")) ?? false,
                    "\(decoded)")
                continue
            }
            if decoded.sealed.contains(where: { $0.reason.hasPrefix("encrypted under") }) {
                tally.note(Report.nothing.agrees(with: expected), "\(decoded)")
                continue
            }
            var report = decoded.reports.first ?? .nothing
            // That reader has one value per name, the last.
            for reading in report.readings where reading.channel > 1 {
                report.readings.removeAll { $0.quantity == reading.quantity }
                report.readings.append(
                    DecodedReading(device: report.device, quantity: reading.quantity, value: reading.value))
            }
            tally.note(
                report.agrees(with: expected) && report.device.rawValue == "ble:" + address
                    && report.rssi == expected["rssi"]?.number.map { Int($0) },
                "\(format) \(line["hex"]?.string ?? "") \(decoded) \(expected)")
        }
        tally.finish(floor: 142)
    }

    @Test func `whole packets are decoded as a second reader decodes them`() throws {
        guard let lines = try Vectors.lines("ble/hci-aioblescan.jsonl") else { return }
        var tally = Tally("ble/hci-aioblescan.jsonl")
        for line in lines {
            let packet = try HCIPacket(try #require(line["hex"]?.hexBytes))
            let decoded = AdvertisementDecoder().decode(try #require(packet.advertisements.first))
            if let expected = line[path: "expected", "ATCMiThermometer"] {
                let report = decoded.reports.first
                tally.note(
                    report?.holds([
                        (.temperature, expected["temperature"]?.number), (.humidity, expected["humidity"]?.number),
                        (.battery, expected["battery"]?.number), (.voltage, expected["battery_volts"]?.number),
                    ]) == true && report?.rssi == expected["rssi"]?.number.map { Int($0) }
                        && report?.counter == expected["counter"]?.number.map { UInt64($0) }, "\(decoded)")
            } else {
                let expected = try #require(line[path: "expected", "EddyStone"])
                let beacon = try #require(decoded.beacons.first)
                let isSame =
                    switch beacon.kind {
                    case .eddystoneURL(let url, let power):
                        url == expected["url"]?.string && Double(power) == expected["tx_power"]?.number
                    case .eddystoneUID(let namespace, let instance, _):
                        Hex.encode(namespace) == expected["name space"]?.string
                            && Hex.encode(instance) == expected["instance"]?.string
                    default: false
                    }
                tally.note(isSame && Double(beacon.rssi ?? 0) == expected["rssi"]?.number, "\(decoded)")
            }
        }
        tally.finish(floor: 5)
    }

    @Test func `an unencrypted packet of a device with a key is rejected`() throws {
        let device = DeviceID("ble:a4c1388d18b2")
        let data = try #require(Hex.decode("0a16d2fc4002ca0903bf13"))
        let advertisement = Advertisement(address: 0xA4C1_388D_18B2, data: data)
        #expect(AdvertisementDecoder().decode(advertisement).reports.first?.value(.temperature) == 25.06)
        let decoder = AdvertisementDecoder(keys: [device: [UInt8](repeating: 1, count: 16)])
        #expect(decoder.decode(advertisement).reports.isEmpty)
        #expect(decoder.decode(advertisement).problems.count == 1)
    }

    private func decode(_ line: JSONAny) -> DecodedInput {
        let address = line[path: "input", "address"]?.string?.replacing(":", with: "") ?? ""
        var decoder = AdvertisementDecoder()
        if let key = line[path: "state", "bindkey"]?.hexBytes { decoder.commonKey = key }
        return decoder.decode(
            Advertisement(address: UInt64(address, radix: 16), rssi: -60, data: line["ad_hex"]?.hexBytes ?? []))
    }

    private func keys(_ line: JSONAny) -> [DeviceID: [UInt8]] {
        var keys: [DeviceID: [UInt8]] = [:]
        for (address, key) in line[path: "state", "aeskeys"]?.members ?? [] {
            keys[DeviceID("ble:" + address)] = key.hexBytes
        }
        return keys
    }
}

extension JSONAny {
    /// 1 for a state that holds, 0 for one that does not.
    fileprivate var state: Double? {
        guard case .bool(let holds) = self else { return nil }
        return holds ? 1 : 0
    }
}

extension DecodedInput {
    /// The packet id of an unencrypted BTHome report.
    fileprivate var packetID: Double? {
        reports.first { $0.repeats == .packetID && $0.protocolName.hasPrefix("bthome") }?.counter.map { Double($0) }
    }
}

extension Report {
    fileprivate static let nothing = Report(
        device: DeviceID("ble:"), protocolName: "none", repeats: .payload, fingerprint: [])

    /// Compares with the field names of Python's sensor packages: every quantity that the report has, and no other.
    ///
    /// The expected values of later packets in a test include those of all packets before.
    fileprivate func agrees(
        with expected: JSONAny, flags: JSONAny = .null, isLater: Bool = false
    ) -> Bool {
        let names: [(String, Quantity)] = [
            ("temperature", .temperature), ("humidity", .humidity), ("battery", .battery), ("pressure", .pressure),
            ("illuminance", .illuminance), ("dew_point", .dewPoint), ("dewpoint", .dewPoint), ("voltage", .voltage),
            ("carbon_dioxide", .co2), ("co2", .co2), ("moisture", .soilMoisture), ("conductivity", .conductivity),
            ("precipitation", .rain), ("pm25", .pm25), ("pm2.5", .pm25), ("pm10", .pm10), ("tvoc", .voc),
            ("volatile_organic_compounds", .voc), ("count", .count), ("power", .power), ("energy", .energy),
            ("volume", .volume), ("volume mL", .volume), ("volume_storage", .volume), ("water", .volume),
            ("opening", .contact), ("door", .contact), ("garage door", .contact), ("window", .contact),
            ("moisture detected", .leak),
        ]
        var wanted = 0
        let states: Set<Quantity> = protocolName.hasPrefix("bthome") ? [.contact, .leak] : []
        for (name, quantity) in names where ![.contact, .leak].contains(quantity) || states.contains(quantity) {
            for channel in 0...3 {
                let key = channel == 0 ? name : "\(name)_\(channel)"
                let isState = channel == 0 && states.contains(quantity)
                let state = isState ? flags[name]?.state : nil
                guard var value = expected[key]?.number ?? state else { continue }
                // One object counts millilitres.
                if quantity == .volume, self.value(quantity) == value / 1000 { value /= 1000 }
                // Some readers compute volts from battery percent, or percent from volts.
                let isDerived = (quantity == .voltage || quantity == .battery) && self.value(quantity) == nil
                if isDerived, readings.contains(where: { $0.quantity == .battery || $0.quantity == .voltage }) {
                    continue
                }
                let ours = self.value(quantity, channel: max(channel, 1))
                if ours == nil, isLater { continue }
                // One reader rounds the humidity of one thermometer down to whole percent.
                let isCut = quantity == .humidity && value == ours?.rounded(.down)
                guard let ours, isCut || abs(ours - value) <= 0.00501 else { return false }
                wanted += 1
            }
        }
        let accelerations: Set<Quantity> = [.accelerationX, .accelerationY, .accelerationZ]
        return wanted == readings.filter { !accelerations.contains($0.quantity) }.count
    }
}
