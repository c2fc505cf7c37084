import JSON
import Testing
import Vocabulary

@testable import Radio

@Suite("Malformed packets of each make", .timeLimit(.minutes(10)))
struct MalformedPacketTests {
    private static let mutations = 10_000

    /// Returns recorded packets by make, as AD structures, and those of the other tests for makes without any.
    private static func packets() throws -> [String: [[UInt8]]] {
        var packets: [String: [[UInt8]]] = [:]
        for make in ["bthome", "govee", "inkbird", "qingping", "ruuvi", "sensorpush", "thermopro", "xiaomi"] {
            for line in try Vectors.lines("ble/\(make).jsonl") ?? [] {
                if let bytes = line["ad_hex"]?.hexBytes, !bytes.isEmpty { packets[make, default: []].append(bytes) }
            }
        }
        let whole = [
            "atc", "bluemaestro", "bparasite", "inode", "jaalee", "kkm", "sensirion", "switchbot", "teltonika",
        ]
        for line in try Vectors.lines("ble/hci-ble_monitor.jsonl") ?? [] {
            guard let make = line["format"]?.string?.dropFirst(4), whole.contains(String(make)),
                let bytes = line["hex"]?.hexBytes, let data = try HCIPacket(bytes).advertisements.first?.data
            else { continue }
            packets[String(make), default: []].append(data)
        }
        for packet in MakerTests.packets {
            packets[packet.make, default: []].append(try #require(Hex.decode(packet.hex)))
        }
        return packets
    }

    @Test func `no cut packet traps its decoder or gives an implausible value`() throws {
        var count = 0
        for (make, packets) in try Self.packets() {
            for packet in packets {
                for length in 0..<packet.count {
                    Self.check(Array(packet.prefix(length)), make)
                    // The same, with a length that fits: the structure itself is too short.
                    var start = 0
                    while start < length, start + Int(packet[start]) < length { start += Int(packet[start]) + 1 }
                    guard start < length else { continue }
                    var shortened = Array(packet.prefix(length))
                    shortened[start] = UInt8(length - start - 1)
                    Self.check(shortened, make)
                    count += 2
                }
            }
        }
        print("cut packets: \(count)")
    }

    @Test func `no mutated packet traps its decoder or gives an implausible value`() throws {
        var read = 0
        let makes = try Self.packets()
        for (make, packets) in makes.sorted(by: { $0.key < $1.key }) {
            var random = SeededRandom(seed: UInt64(make.utf8.reduce(0) { $0 &* 31 &+ UInt32($1) }))
            for _ in 0..<Self.mutations {
                var bytes = packets[Int.random(in: 0..<packets.count, using: &random)]
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[place] =
                        Bool.random(using: &random)
                        ? [0, 1, 0x7F, 0x80, 0xFE, 0xFF][Int.random(in: 0..<6, using: &random)]
                        : bytes[place] ^ 1 << UInt8.random(in: 0..<8, using: &random)
                }
                read += Self.check(bytes, make)
            }
        }
        print("mutated packets: \(Self.mutations) of each of \(makes.count) makes, \(read) values")
        #expect(read > makes.count * 1000)
    }

    /// Decodes the packet and returns the number of its values. Records a failure if one that the service would use is
    /// outside the plausible range of its quantity.
    @discardableResult
    private static func check(_ bytes: [UInt8], _ make: String) -> Int {
        let decoded = AdvertisementDecoder().decode(Advertisement(address: 0xC0FF_EE12_3456, rssi: -60, data: bytes))
        var count = 0
        for report in decoded.reports {
            for reading in report.readings where reading.doubt == nil {
                count += 1
                if !reading.quantity.plausible(for: report.kind).contains(reading.value) {
                    Issue.record("\(make) \(Hex.encode(bytes)): \(reading.quantity) \(reading.value)")
                }
            }
        }
        return count
    }
}
