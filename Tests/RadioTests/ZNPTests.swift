import JSON
import Testing
import Vocabulary

@testable import Radio

@Suite("Frames of a coordinator")
struct ZNPTests {
    @Test func `the serial parser gives the frames and values of every vector`() throws {
        guard let lines = try Vectors.lines("zigbee/znp.jsonl") else { return }
        var tally = Tally("zigbee/znp.jsonl")
        for line in lines {
            let bytes = try #require(line["hex"]?.hexBytes)
            let expected = try #require(line["expected"])
            var parser = UNPIParser()
            let frames = parser.feed(bytes)
            let count = Int(expected["frames"]?.number ?? 1)
            guard frames.count == count else {
                tally.note(false, "\(line["name"]?.string ?? ""): \(frames.count) frames")
                continue
            }
            let isSame = try frames.allSatisfy { try ZNPMessage($0).frame == $0 }
            tally.note(try isSame && frames.agree(with: expected), "\(line["name"]?.string ?? "") \(frames)")
        }
        tally.finish(floor: 137)
    }

    @Test(arguments: [
        "znp-startup-transcript-CC26X2R1", "znp-startup-transcript-ZStack1CC2531",
        "znp-startup-transcript-ZStack3CC2531",
    ])
    func `the recorded messages of a coordinator's start are decoded and encoded`(_ name: String) throws {
        guard let lines = try Vectors.lines("zigbee/\(name).jsonl") else { return }
        var tally = Tally("zigbee/\(name).jsonl")
        var understood = 0
        var parser = UNPIParser()
        for line in lines {
            let bytes = try #require(line["hex"]?.hexBytes)
            let frames = parser.feed(bytes)
            guard let frame = frames.first, frames.count == 1 else {
                // Some lines are the bytes of a boot loader that is left.
                tally.note(frames.isEmpty && bytes.allSatisfy { $0 == 0xEF }, "\(frames.count) frames")
                continue
            }
            let message = try ZNPMessage(frame)
            if case .other = message {} else { understood += 1 }
            tally.note(message.bytes == bytes, "\(message)")
        }
        print("\(name): \(understood) messages by name")
        tally.finish(floor: 130)
        #expect(parser.failedChecks == 0)
    }

    @Test func `the firmware version of a coordinator is decoded`() throws {
        var parser = UNPIParser()
        let bytes = try #require(Hex.decode("fe0e610202010207013b89340100ffffffffed"))
        let frame = try #require(parser.feed(bytes).first)
        guard case .system(.version(let firmware)) = try ZNPMessage(frame) else {
            Issue.record("another message")
            return
        }
        #expect(firmware.product == 1 && firmware.major == 2 && firmware.minor == 7 && firmware.maintenance == 1)
        #expect(firmware.revision == 20_220_219)
    }

    @Test func `a serial stream gives the same frames however it is split`() throws {
        guard let lines = try Vectors.lines("zigbee/znp.jsonl") else { return }
        let stream = lines.compactMap { $0["hex"]?.hexBytes }.flatMap(\.self)
        var whole = UNPIParser()
        let frames = whole.feed(stream)
        var random = SeededRandom(seed: 1)
        for _ in 0..<20 {
            var parser = UNPIParser()
            var parts: [UNPIFrame] = []
            var start = 0
            while start < stream.count {
                let end = min(stream.count, start + Int.random(in: 1...40, using: &random))
                parts += parser.feed(Array(stream[start..<end]))
                start = end
            }
            #expect(parts == frames)
        }
        #expect(frames.count >= 137)
    }

    @Test func `a false start does not block the parser after a reset`() {
        var parser = UNPIParser()
        let ping = ZNPMessage.system(.ping)
        #expect(parser.feed([0xFE, 0xFA] + ping.bytes).isEmpty)
        #expect(parser.isInsideFrame)
        #expect(parser.reset() == [ping.frame])
        #expect(!parser.isInsideFrame)
        #expect(parser.skippedBytes == 2)
        // An impossible length never blocks the parser.
        #expect(parser.feed([0xFE, 0xFB] + ping.bytes) == [ping.frame])
    }

    @Test func `an extended message with data in parts is decoded`() throws {
        let whole = IncomingMessage(
            cluster: 0x0402, source: .ieee(0x0012_4B00_1E17_EFA8), sourceEndpoint: 1, destinationEndpoint: 1, lqi: 90,
            timestamp: 7, sequence: 3, data: [0x18, 1, 0x0A, 0, 0, 0x29, 0x2E, 9],
            extra: IncomingMessage.Extension(panID: 0x1A62, wholeLength: 8))
        var part = whole
        part.data = []
        for message in [whole, part] {
            let frame = ZNPMessage.framework(.incoming(message)).frame
            #expect(frame.code == 0x4482)
            #expect(try ZNPMessage(frame) == .framework(.incoming(message)))
        }
        var decoder = ZNPDecoder()
        #expect(part.isIncomplete && !whole.isIncomplete)
        let decoded = [decoder.decode(.framework(.incoming(part))), decoder.decode(.framework(.incoming(whole)))]
        #expect(decoded[0].reports.isEmpty && decoded[0].problems.count == 1)
        #expect(decoded[1].reports.first?.value(.temperature) == 23.5)
        #expect(decoded[1].reports.first?.device.rawValue == "zb:00124b001e17efa8")
    }

    @Test func `messages of a coordinator give the device of a short address`() throws {
        var decoder = ZNPDecoder()
        let report = IncomingMessage(
            cluster: 0x0402, source: .short(0x1A2B), sourceEndpoint: 1, destinationEndpoint: 1, lqi: 90, timestamp: 7,
            sequence: 3, data: [0x18, 1, 0x0A, 0, 0, 0x29, 0x2E, 9])
        let before = decoder.decode(.framework(.incoming(report)))
        #expect(before.reports.first?.device == .zigbee(short: 0x1A2B))
        #expect(before.reports.first?.device.isLasting == false)
        let announcement = DeviceObjectMessage.announced(
            source: 0x1A2B, short: 0x1A2B, ieee: 0x0012_4B00_1E17_EFA8, capabilities: 0x80)
        _ = decoder.decode(.deviceObject(announcement))
        let after = decoder.decode(.framework(.incoming(report)))
        #expect(after.reports.first?.device.rawValue == "zb:00124b001e17efa8")
        #expect(after.reports.first?.device.isLasting == true)
        #expect(after.reports.first?.lqi == 90)
        // The device joins again under another short address; another device gets the old one.
        let relayed = DeviceObjectMessage.ObjectMessage(
            source: 0x2222, wasBroadcast: true, cluster: 0x0013, security: 0, transaction: 1, destination: 0xFFFD,
            data: [0x22, 0x22, 0xA8, 0xEF, 0x17, 0x1E, 0x00, 0x4B, 0x12, 0x00, 0x80])
        _ = decoder.decode(.deviceObject(.overheard(relayed)))
        #expect(decoder.addresses.ieee(of: 0x2222) == 0x0012_4B00_1E17_EFA8)
        #expect(decoder.addresses.ieee(of: 0x1A2B) == nil)
    }

    @Test func `a message that is shorter than its kind is rejected`() {
        #expect(throws: Malformed.self) { try ZNPMessage(UNPIFrame(.notice, 4, 0x81, [0, 0, 2])) }
        #expect(throws: Malformed.self) { try ZNPMessage(UNPIFrame(.notice, 5, 0xC1, [])) }
    }
}

extension [UNPIFrame] {
    /// Compares with the fields of a vector.
    fileprivate func agree(with expected: JSONAny) throws -> Bool {
        if let commands = expected["cmds"]?.elements,
            commands.compactMap(\.string) != map({ Hex.encode([UInt8($0.code >> 8), $0.command]) })
        {
            return false
        }
        for (name, index) in [("second", 1), ("fourth", 3)] {
            if let fields = expected[name], try !self[index].agrees(with: fields) { return false }
        }
        guard let first, count == 1 else { return true }
        return try first.agrees(with: expected)
    }
}

extension UNPIFrame {
    fileprivate func agrees(with expected: JSONAny) throws -> Bool {
        func same(_ name: String, _ value: Int) -> Bool { expected[name]?.number.map { Int($0) == value } ?? true }
        func same(_ name: String, _ value: [UInt8]) -> Bool {
            expected[name]?.string.map { $0 == Hex.encode(value) } ?? true
        }
        guard same("cmd0", Int(code >> 8)), same("cmd1", Int(command)), same("data", data),
            same("type", Int(kind.rawValue)),
            same("subsystem", Int(subsystem)), same("command", Int(command)), same("fcs", Int(bytes.last ?? 0)),
            same("len", data.count)
        else { return false }
        switch try ZNPMessage(self) {
        case .framework(.incoming(let message)):
            var decoder = ZNPDecoder()
            let decoded = decoder.decode(.framework(.incoming(message)))
            let source: Int =
                switch message.source {
                case .short(let short): Int(short)
                case .ieee: -1
                }
            return same("cluster", Int(message.cluster)) && same("src", source)
                && same("src_ep", Int(message.sourceEndpoint))
                && same("dst_ep", Int(message.destinationEndpoint)) && same("lqi", Int(message.lqi))
                && same("timestamp", Int(message.timestamp)) && same("trans_seq", Int(message.sequence))
                && same("zcl", message.data) && same("mac_src", Int(message.trailer?.router ?? 0))
                && same("radius", Int(message.trailer?.radius ?? 0)) && same("group", Int(message.group))
                && (expected["measurements"].map { decoded.agrees(with: $0) } ?? true)
        case .deviceObject(let message):
            guard let pair = message.addresses, let ieee = expected["ieee"]?.string else { return true }
            return same("nwk", Int(pair.short)) && DeviceID.zigbee(pair.ieee).rawValue == "zb:" + ieee
        case .framework(.confirmed(let status, let endpoint, let transaction)):
            return same("status", Int(status)) && same("endpoint", Int(endpoint)) && same("tsn", Int(transaction))
        default: return true
        }
    }
}
