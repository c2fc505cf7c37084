import Crypto
import JSON
import Testing
import Vocabulary

@testable import Radio

@Suite("Sniffed ZigBee frames")
struct SnifferTests {
    @Test func `the sniffer receives the key of a real network and finds three reports in six copies each`() throws {
        guard let bytes = Vectors.bytes("captures/control4-sample.pcap") else { return }
        let frames = try Capture.read(bytes)
        var decoder = CaptureDecoder()
        var filter = RepeatFilter()
        var copies = 0
        var sealed = 0
        var raws: [RawReport] = []
        var keyHeardAt: Int?
        for frame in frames {
            let decoded = decoder.decode(frame)
            if keyHeardAt == nil, !decoder.sniffer.keys.networkKeys.isEmpty { keyHeardAt = frame.number }
            copies += decoded.raws.count
            #expect(decoded.reports.isEmpty && decoded.beacons.isEmpty)
            #expect(decoded.problems.isEmpty, "\(frame.number) \(decoded.problems)")
            if keyHeardAt != nil {
                #expect(decoded.sealed.isEmpty, "\(frame.number) \(decoded.sealed)")
            } else {
                sealed += decoded.sealed.count
            }
            for raw in decoded.raws where filter.admits(raw, at: frame.time) { raws.append(raw) }
        }
        print(
            "captures/control4-sample.pcap: \(frames.count) of 407 frames whole, \(copies) reports, \(raws.count) once")
        // tshark finds 30 frames with a wrong check sequence in this file.
        #expect(frames.count == 377)
        #expect(keyHeardAt == 151)
        #expect(decoder.sniffer.keys.networkKeys.map { Hex.encode($0) } == ["26546b723b396a727b5d5271517d392f"])
        #expect(copies == 9)
        #expect(sealed > 20)
        #expect(raws.map(\.tsn) == [79, 89, 99])
        #expect(raws.allSatisfy { $0.profile == 0xC25D && $0.cluster == 1 && $0.endpoint == 2 })
        #expect(Set(raws.map(\.device.rawValue)) == ["zb:000fff0000415b1a"])
        #expect(Hex.encode(raws[0].payload).hasPrefix("184f0a0000200301"))
    }

    @Test func `the sniffer decodes the frames of a network without encryption`() throws {
        guard let bytes = Vectors.bytes("captures/zcl-generated.pcap"),
            let lines = try Vectors.lines("zigbee/zcl.jsonl")
        else { return }
        var tally = Tally("captures/zcl-generated.pcap")
        var decoder = CaptureDecoder()
        for (frame, line) in zip(try Capture.read(bytes), lines) {
            let decoded = decoder.decode(frame)
            tally.note(
                decoded.agrees(with: line[path: "expected", "measurements"] ?? .null),
                "\(line["name"]?.string ?? "") \(decoded)")
        }
        tally.finish(floor: 63)
    }

    @Test func `keys are derived as in the specification's examples`() {
        // ZigBee specification, annexes C.5.1 and C.6.1.
        #expect(Hex.encode(KeyHash.hash([0xC0])) == "ae3a102a28d43ee0d4a09e22788b206c")
        let key = (0x40...0x4F).map { UInt8($0) }
        #expect(Hex.encode(KeyHash.keyed(key, [0xC0])) == "4512807bf94cb3400f0e2c25fb76e999")
        let transport = KeyRing().candidates(for: .keyTransport)
        #expect(transport.map { Hex.encode($0) } == ["4bab0f173e1434a2d572e1c1ef478782"])
    }

    @Test func `the sniffer stores a key that is sent under the well-known link key`() throws {
        let networkKey = (0..<16).map { UInt8($0 * 3) }
        let coordinator: UInt64 = 0x0012_4B00_0000_0001
        var sniffer = ZigBeeSniffer()
        let transport = try Air.transportKey(networkKey, from: coordinator)
        let report = try Air.secured(
            source: 0x1A2B, ieee: 0x0012_4B00_1E17_EFA8, key: networkKey, counter: 9,
            Air.report([0x18, 1, 0x0A, 0, 0, 0x29, 0x2E, 9]))
        #expect(sniffer.decode(report).sealed.count == 1)
        #expect(sniffer.decode(transport).problems.isEmpty)
        #expect(sniffer.keys.networkKeys == [networkKey])
        let decoded = sniffer.decode(report)
        #expect(decoded.reports.first?.value(.temperature) == 23.5)
        #expect(decoded.reports.first?.device.rawValue == "zb:00124b001e17efa8")
        // A report with a flipped bit is rejected.
        for index in [12, 20, report.count - 6, report.count - 1] {
            var bent = report
            bent[index] ^= 1
            #expect(sniffer.decode(bent).reports.isEmpty)
        }
    }

    @Test func `pcap files are read in both byte orders, with nanoseconds and with preambles`() throws {
        let frame: [UInt8] = [0x02, 0x00, 0x30]
        let check = MACFrame.check(frame)
        let whole = frame + [UInt8(check & 255), UInt8(check >> 8)]
        #expect(check == 0x843B)  // the acknowledgement in frame 152 of the Control4 capture
        func file(_ magic: [UInt8], _ link: UInt8, isBig: Bool, _ fraction: UInt32, _ packet: [UInt8]) -> [UInt8] {
            func number(_ value: UInt32) -> [UInt8] {
                let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
                return isBig ? bytes.reversed() : bytes
            }
            let length = number(UInt32(packet.count))
            return magic + [UInt8](repeating: 0, count: 16) + number(UInt32(link)) + number(1) + number(fraction)
                + length
                + length + packet
        }
        let expected = CapturedFrame(
            number: 1, time: Instant(microseconds: 1_000_005), medium: .ieee802154, bytes: frame)
        #expect(try Capture.read(file([0xA1, 0xB2, 0xC3, 0xD4], 230, isBig: true, 5, frame)) == [expected])
        #expect(try Capture.read(file([0xD4, 0xC3, 0xB2, 0xA1], 195, isBig: false, 5, whole)) == [expected])
        #expect(try Capture.read(file([0x4D, 0x3C, 0xB2, 0xA1], 195, isBig: false, 5999, whole)) == [expected])
        let long: [UInt8] = [0, 0, 0, 0, 0xA7, 5] + whole
        #expect(try Capture.read(file([0xD4, 0xC3, 0xB2, 0xA1], 215, isBig: false, 5, long)) == [expected])
        #expect(try Capture.read(file([0xD4, 0xC3, 0xB2, 0xA1], 195, isBig: false, 5, frame)).isEmpty)
        #expect(throws: Malformed.self) { try Capture.read(file([0xD4, 0xC3, 0xB2, 0xA1], 1, isBig: false, 5, frame)) }
    }
}

/// Frames as devices would send them, built with the same cipher but independently of the decoder.
enum Air {
    private static let macHeader: [UInt8] = [0x61, 0x88, 0x01, 0x62, 0x1A, 0x00, 0x00]

    /// Returns an application frame with a ZCL payload on Home Automation, temperature cluster.
    static func report(_ zcl: [UInt8]) -> [UInt8] { [0x00, 1, 0x02, 0x04, 0x04, 0x01, 1, 7] + zcl }

    /// Returns a network frame secured with the network key, as its first sender would transmit it.
    static func secured(
        source: UInt16, ieee: UInt64, key: [UInt8], counter: UInt8, _ application: [UInt8]
    ) throws -> [UInt8] {
        let short = [UInt8(source & 255), UInt8(source >> 8)]
        let long = (0..<8).map { UInt8(truncatingIfNeeded: ieee >> UInt64(8 * $0)) }
        let header: [UInt8] = [0x08, 0x02, 0, 0] + short + [30, 9]
        let security: [UInt8] = [0x2D, counter, 0, 0, 0] + long + [0]
        let sealed = try AESCCM.seal(
            key: key, nonce: long + [counter, 0, 0, 0, 0x2D], plaintext: application, aad: header + security,
            tagLength: 4)
        let onAir = [0x28] + security.dropFirst()
        return macHeader + short + header + onAir + sealed.ciphertext + sealed.tag
    }

    /// Returns a transport-key command secured with the key-transport key of the well-known link key.
    static func transportKey(_ networkKey: [UInt8], from ieee: UInt64) throws -> [UInt8] {
        let long = (0..<8).map { UInt8(truncatingIfNeeded: ieee >> UInt64(8 * $0)) }
        let command = [0x05, 0x01] + networkKey + [0] + [UInt8](repeating: 1, count: 8) + long
        let header: [UInt8] = [0x21, 5]
        let security: [UInt8] = [0x35, 1, 0, 0, 0] + long
        let key = KeyHash.keyed(KeyRing.wellKnownLinkKey, [0])
        let sealed = try AESCCM.seal(
            key: key, nonce: long + [1, 0, 0, 0, 0x35], plaintext: command, aad: header + security, tagLength: 4)
        let application = header + [0x30] + security.dropFirst() + sealed.ciphertext + sealed.tag
        return macHeader + [0, 0] + [0x08, 0x00, 0x2B, 0x1A, 0, 0, 30, 1] + application
    }
}
