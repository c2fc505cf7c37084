import JSON
import Testing
import Vocabulary

@testable import Radio

@Suite("HCI packets")
struct HCITests {
    @Test func `an HCI packet gives the advertisements that two other readers agree on`() throws {
        guard let lines = try Vectors.lines("ble/hcidump.jsonl") else { return }
        var tally = Tally("ble/hcidump.jsonl")
        for line in lines {
            let expected = try #require(line["expected"])
            let packet = try HCIPacket(try #require(line["hex"]?.hexBytes))
            let advertisement = try #require(packet.advertisements.first)
            let data = AdvertisingData(advertisement.data)
            let address = expected["address"]?.string?.lowercased().replacing(":", with: "") ?? ""
            tally.note(
                packet.problem == nil && packet.advertisements.count == 1
                    && advertisement.device.rawValue == "ble:" + address
                    && advertisement.isRandomAddress == (expected["address_type"]?.number == 1)
                    && advertisement.isScanResponse == (expected["event_type"]?.number == 4)
                    && advertisement.data.count == expected["data_length"]?.number.map { Int($0) }
                    && advertisement.rssi == expected["rssi"]?.number.map { Int($0) }
                    && data.agrees(with: expected),
                line["hex"]?.string ?? "")
        }
        tally.finish(floor: 208)
    }

    @Test func `the AD structures of every GAP vector are extracted from its HCI packet`() throws {
        guard let lines = try Vectors.lines("ble/gap.jsonl") else { return }
        var tally = Tally("ble/gap.jsonl")
        for line in lines {
            let data = AdvertisingData(try #require(line["hex"]?.hexBytes))
            tally.note(data.agrees(with: try #require(line["expected"])), "\(line["hex"]?.string ?? "") \(data)")
        }
        tally.finish(floor: 46)
    }

    @Test func `an extended advertising report is decoded`() throws {
        // The layout of the LE Extended Advertising Report event (Bluetooth Core, volume 4, part E, 7.7.65.13).
        let head: [UInt8] = [0x04, 0x3E, 0x1D, 0x0D, 0x01, 0x00, 0x00, 0x01]
        let address: [UInt8] = [0x66, 0x55, 0x44, 0x33, 0x22, 0x11]
        let rest: [UInt8] = [1, 2, 0, 127, 0xC4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 2, 1, 6]
        let packet = try HCIPacket(head + address + rest)
        let advertisement = try #require(packet.advertisements.first)
        #expect(advertisement.device.rawValue == "ble:112233445566")
        #expect(advertisement.rssi == -60)
        #expect(advertisement.isExtended && advertisement.isRandomAddress && !advertisement.isScanResponse)
        #expect(advertisement.data == [2, 1, 6])
        #expect(packet.problem == nil)
    }

    @Test func `the reports before one that is cut off are returned`() throws {
        let one: [UInt8] = [3, 1, 1, 2, 3, 4, 5, 6, 0, 127]
        let packet = try HCIPacket([0x04, 0x3E, 22, 0x02, 3] + one + one)
        #expect(packet.advertisements.count == 2)
        #expect(packet.advertisements.first?.rssi == nil)
        #expect(packet.problem != nil)
    }

    @Test(arguments: [[], [9], [4], [4, 0x3E], [4, 0x3E, 3], [4, 0x0E, 4, 1]] as [[UInt8]])
    func `a packet that is too short is rejected`(_ bytes: [UInt8]) {
        #expect(throws: Malformed.self) { try HCIPacket(bytes) }
    }

    @Test func `other HCI packets give no advertisement`() throws {
        #expect(try HCIPacket([1, 0x0C, 0x20, 2, 1, 0]).advertisements.isEmpty)
        #expect(try HCIPacket([4, 0x0E, 4, 1, 0x0C, 0x20, 0]).advertisements.isEmpty)
    }
}

extension AdvertisingData {
    /// Whether name, UUIDs, service and manufacturer data and power equal those of a vector.
    func agrees(with expected: JSONAny) -> Bool {
        var companies: [String: String] = [:]
        for (company, bytes) in expected["manufacturer_data"]?.members ?? [] {
            companies[company.lowercased()] = bytes.string
        }
        var services: [String: String] = [:]
        for (service, bytes) in expected["service_data"]?.members ?? [] { services[service] = bytes.string }
        let ours = Dictionary(
            manufacturerData.map { ("0x" + Hex.encode([UInt8($0.company >> 8), UInt8($0.company & 255)]), $0.bytes) },
            uniquingKeysWith: { $1 })
        let ourServices = Dictionary(serviceData.map { ($0.service, $0.bytes) }, uniquingKeysWith: { $1 })
        return name == expected["local_name"]?.string
            && Set(self.services) == Set((expected["service_uuids"]?.elements ?? []).compactMap(\.string))
            && ours.mapValues { Hex.encode($0) } == companies
            && ourServices.mapValues { Hex.encode($0) } == services
            && transmitPower == expected["tx_power"]?.number.map { Int($0) }
    }
}
