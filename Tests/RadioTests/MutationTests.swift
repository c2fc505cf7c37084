import JSON
import Testing
import Vocabulary

@testable import Radio

@Suite("Mutated radio input", .timeLimit(.minutes(10)))
struct MutationTests {
    /// Returns the input of the other tests, and a few packets for when the data set is missing.
    private static func seeds() throws -> [[UInt8]] {
        var seeds: [[UInt8]] = [
            [0x04, 0x3E, 0x0F, 0x02, 1, 3, 1, 1, 2, 3, 4, 5, 6, 3, 2, 1, 6, 0xC4],
            [0x18, 1, 0x0A, 0, 0, 0x4C, 2, 0, 0x48, 0x20, 2, 0, 1, 2, 0x42, 1, 65],
            BTSnoop.magic + [0, 0, 0, 1, 0, 0, 3, 0xEA],
        ]
        let paths = [
            "ble/hcidump.jsonl", "ble/hci-ble_monitor.jsonl", "ble/beacons.jsonl", "ble/bthome.jsonl",
            "ble/xiaomi.jsonl",
            "ble/ruuvi.jsonl", "ble/gap.jsonl", "ble/sensortag.jsonl", "zigbee/znp.jsonl", "zigbee/zcl.jsonl",
            "zigbee/xiaomi.jsonl", "zigbee/tuya.jsonl",
        ]
        for path in paths {
            for line in try Vectors.lines(path) ?? [] {
                seeds += [line["hex"]?.hexBytes, line["ad_hex"]?.hexBytes].compactMap(\.self).filter { !$0.isEmpty }
            }
        }
        for name in ["ruuvi-hcidump-3.x.btsnoop", "control4-sample.pcap", "zcl-generated.pcap"] {
            if let bytes = Vectors.bytes("captures/" + name) { seeds.append(Array(bytes.prefix(2_000))) }
        }
        if let bytes = Vectors.bytes("captures/control4-sample.pcap") {
            seeds += try Capture.read(bytes).map(\.bytes)
        }
        return seeds
    }

    @Test(arguments: 0..<8)
    func `mutated input never traps a decoder, nor takes it long`(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var decoders = Decoders()
        let seeds = try Self.seeds()
        let clock = ContinuousClock()
        var longest = Duration.zero
        for _ in 0..<25_000 {
            let start = clock.now
            decoders.feed(Self.mutate(seeds, &random), &random)
            longest = max(longest, clock.now - start)
        }
        print("mutations, seed \(seed): 25000 inputs of \(seeds.count) kinds, the longest took \(longest)")
        // A generous limit, because other work shares the processor; each input takes some microseconds.
        #expect(longest < .seconds(5))
        #expect(decoders.decoded > 1_000)
    }

    /// Returns a packet with some bits flipped, and bytes removed, added or taken from another packet.
    private static func mutate(_ seeds: [[UInt8]], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
        for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF][Int.random(in: 0..<6, using: &random)]
            case 2: bytes.removeLast(Int.random(in: 0...min(bytes.count, 12), using: &random))
            case 3: bytes.insert(.random(in: 0...255, using: &random), at: place)
            case 4: bytes.remove(at: place)
            default:
                let other = seeds[Int.random(in: 0..<seeds.count, using: &random)]
                bytes =
                    Array(bytes.prefix(place)) + other.suffix(Int.random(in: 0...min(other.count, 40), using: &random))
            }
        }
        return bytes
    }
}

/// All decoders, given the same bytes in each format.
private struct Decoders {
    private var advertisements = AdvertisementDecoder(commonKey: [UInt8](repeating: 7, count: 16))
    private var parser = UNPIParser()
    private var serial = ZNPDecoder()
    private var capture = CaptureDecoder()
    private var filter = RepeatFilter()
    private(set) var decoded = 0
    private var time: Int64 = 0

    mutating func feed(_ bytes: [UInt8], _ random: inout SeededRandom) {
        // Long steps, so that a window has few reports of one device: windows are not tested here.
        time += Int64.random(in: -100_000_000...200_000_000, using: &random)
        note(advertisements.decode(Advertisement(address: 1, rssi: -60, data: bytes)))
        note(AdvertisementDecoder().decode(Advertisement(address: nil, data: bytes)))
        note(
            capture.decode(
                CapturedFrame(number: 1, time: Instant(microseconds: time), medium: .bluetooth, bytes: bytes)))
        note(
            capture.decode(
                CapturedFrame(number: 1, time: Instant(microseconds: time), medium: .ieee802154, bytes: bytes)))
        for frame in parser.feed(bytes) { note(serial.decode(frame)) }
        if Bool.random(using: &random) { _ = parser.reset() }
        let clusters: [UInt16] = [0, 1, 0x400, 0x402, 0x403, 0x405, 0x407, 0x408, 0x409, 0x40A, 0x40D, 0xFCC0, 0xEF00]
        let cluster = clusters[Int.random(in: 0..<clusters.count, using: &random)]
        for profile in [nil, 0x0104, 0xF0A0, 0xC25D] as [UInt16?] {
            let message = ZigBeeMessage(
                device: .unknownZigBee, profile: profile, cluster: profile == 0xF0A0 ? 1 : cluster, endpoint: 1,
                payload: bytes)
            note(serial.devices.decode(message))
        }
        let kinds = ["aa21", "2a19", "2a6d", "2a6e", "2a6f", "2afb"]
        for kind in kinds {
            attempt { () throws(Malformed) in
                guard let characteristic = Characteristic(uuid: kind) else { return }
                _ = try characteristic.read(bytes, device: .unknownBluetooth)
            }
        }
        attempt { () throws(Malformed) in _ = try Capture.read(bytes) }
        _ = ReportWindow(text: String(decoding: bytes, as: UTF8.self))
        decodeLine(bytes, &random)
    }

    private mutating func note(_ news: DecodedInput) {
        for report in news.reports {
            decoded += 1
            _ = filter.admits(report, at: Instant(microseconds: time))
        }
        for raw in news.raws { _ = filter.admits(raw, at: Instant(microseconds: time)) }
    }

    private func attempt(_ body: () throws(Malformed) -> Void) {
        do throws(Malformed) { try body() } catch { return }
    }

    /// Decodes the bytes as a line, and checks that the output is one JSON object with the five members.
    private func decodeLine(_ bytes: [UInt8], _ random: inout SeededRandom) {
        let format = ["hci", "ad", "gatt", "znp", "zcl"][Int.random(in: 0..<5, using: &random)]
        var line = Array(
            #"{"id":1,"format":"\#(format)","hex":"\#(Hex.encode(bytes))","cluster":1026,"characteristic":"aa21"}"#.utf8
        )
        if Int.random(in: 0..<10, using: &random) == 0 { line[Int.random(in: 0..<line.count, using: &random)] ^= 1 }
        do throws(JSONError) {
            let answer = try JSONValue.parse(DecodeLine.decode(line))
            #expect(
                answer["readings"]?.array != nil && answer["beacons"]?.array != nil && answer["frames"]?.array != nil)
        } catch {
            Issue.record("an answer that is no JSON: \(error)")
        }
    }
}
