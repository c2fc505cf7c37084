import JSON
import Testing
import Vocabulary

@testable import Radio

@Suite("Capture files")
struct CaptureTests {
    @Test func `a capture of real tags gives each measurement once, and none when it is decoded again`() throws {
        let names = ["captures/ruuvi-hcidump-2.x.btsnoop", "captures/ruuvi-hcidump-3.x.btsnoop"]
        let files = names.compactMap(Vectors.bytes)
        guard files.count == 2, let lines = try Vectors.lines("ble/hcidump.jsonl") else { return }
        let expected = try Self.expectedMeasurements(lines)

        var filter = RepeatFilter()
        var measurements: [Report] = []
        var packets = 0
        for file in files {
            var decoder = CaptureDecoder()
            for frame in try Capture.read(file) {
                packets += 1
                let decoded = decoder.decode(frame)
                #expect(decoded.problems.isEmpty && decoded.sealed.isEmpty)
                for report in decoded.reports where filter.admits(report, at: frame.time) {
                    measurements.append(report)
                }
            }
        }
        print("captures: \(packets) packets, \(measurements.count) measurements in \(filter.count) windows")
        #expect(packets == 814)
        #expect(measurements.count == 50)
        #expect(Set(measurements.map(\.device)).count == 7)
        #expect(Set(measurements.map { Key(device: $0.device.rawValue, sequence: $0.counter) }) == Set(expected.keys))
        for report in measurements {
            let wanted = try #require(expected[Key(device: report.device.rawValue, sequence: report.counter)])
            let pairs: [(Quantity, Double?)] = [
                (.temperature, wanted["temperature"]?.number), (.humidity, wanted["humidity"]?.number),
                (.pressure, wanted["pressure"]?.number), (.voltage, wanted["battery"]?.number.map { $0 / 1000 }),
            ]
            // The expected values are rounded to two decimals.
            for (quantity, value) in pairs {
                let ours = try #require(report.value(quantity))
                #expect(abs(ours - (try #require(value))) <= 0.00501)
            }
        }

        for file in files {
            var decoder = CaptureDecoder()
            for frame in try Capture.read(file) {
                for report in decoder.decode(frame).reports {
                    let isNew = filter.admits(report, at: frame.time)
                    #expect(!isNew)
                }
            }
        }
    }

    @Test func `a capture's times begin with its first packet`() throws {
        guard let bytes = Vectors.bytes("captures/ruuvi-hcidump-2.x.btsnoop") else { return }
        let frames = try Capture.read(bytes)
        #expect(frames.count == 511)
        #expect(frames.first?.time.description == "2020-01-01T00:00:00.000000Z")
        #expect(frames.dropFirst().first?.time.description == "2020-01-01T00:00:00.100000Z")
    }

    @Test func `captures of every Bluetooth data link give H4 packets`() throws {
        func file(link: UInt8, high: UInt8, flags: [UInt8], _ packet: [UInt8]) -> [UInt8] {
            let head = BTSnoop.magic + [0, 0, 0, 1, 0, 0, high, link]
            let length: [UInt8] = [0, 0, 0, UInt8(packet.count)]
            return head + length + length + flags + [0, 0, 0, 0, 0, 0xDC, 0xDD, 0xB3, 0x0F, 0x2F, 0x80, 0] + packet
        }
        let event: [UInt8] = [0x0E, 1, 7]
        let bare = try Capture.read(file(link: 0xE9, high: 3, flags: [0, 0, 0, 3], event))
        let h4 = try Capture.read(file(link: 0xEA, high: 3, flags: [0, 0, 0, 3], [4] + event))
        let monitor = try Capture.read(file(link: 0xD1, high: 7, flags: [0, 0, 0, 3], event))
        #expect(bare.map(\.bytes) == [[4] + event])
        #expect(h4 == bare)
        #expect(monitor == bare)
        #expect(bare.first?.time == Instant(microseconds: 0))
        #expect(try Capture.read(file(link: 0xD1, high: 7, flags: [0, 0, 0, 0], event)).isEmpty)
        #expect(throws: Malformed.self) { try Capture.read(file(link: 1, high: 0, flags: [0, 0, 0, 3], event)) }
    }

    @Test func `a capture without its last bytes gives its complete packets`() throws {
        guard let bytes = Vectors.bytes("captures/ruuvi-hcidump-3.x.btsnoop") else { return }
        #expect(try Capture.read(bytes).count == 303)
        #expect(try Capture.read(bytes.dropLast(5)).count == 302)
        #expect(throws: Malformed.self) { try Capture.read(Array(bytes.prefix(12))) }
        #expect(throws: Malformed.self) { try Capture.read([]) }
    }

    private struct Key: Hashable {
        var device: String
        var sequence: UInt64?
    }

    private static func expectedMeasurements(_ lines: [JSONAny]) throws -> [Key: JSONAny] {
        var expected: [Key: JSONAny] = [:]
        for line in lines {
            guard let ruuvi = line[path: "expected", "ruuvi"], !ruuvi.isNull else { continue }
            let device = "ble:" + (try #require(ruuvi["mac"]?.string))
            let sequence = try #require(ruuvi["measurement_sequence_number"]?.number)
            expected[Key(device: device, sequence: UInt64(sequence))] = ruuvi
        }
        return expected
    }
}

extension Capture {
    static func read(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> [CapturedFrame] { try read(Array(bytes)) }
}
