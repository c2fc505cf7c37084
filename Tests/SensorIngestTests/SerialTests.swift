import EventSourcing
import Events
import Host
import Radio
import TestKit
import Testing
import Vocabulary

@Suite("Serial lines")
struct SerialTests {
    private let ieee: UInt64 = 0x0012_4B00_1E17_EFA8
    private let device = DeviceID("zb:00124b001e17efa8")

    /// Returns a report of one of the farm's own nodes, as the coordinator sends it.
    private func report(_ celsius: Double, number: UInt64, from short: UInt16 = 0x1A2B) -> [UInt8] {
        let layout = Layout.furrowNode
        let message = IncomingMessage(
            cluster: layout.cluster, source: .short(short), sourceEndpoint: 240, destinationEndpoint: 240, lqi: 180,
            timestamp: 0, sequence: UInt8(truncatingIfNeeded: number),
            data: layout.write(
                [.temperature: celsius, .humidity: 61.25, .illuminance: 1200, .voltage: 3.1], counter: number))
        return ZNPMessage.framework(.incoming(message)).bytes
    }

    private var announcement: [UInt8] {
        ZNPMessage.deviceObject(.announced(source: 0x1A2B, short: 0x1A2B, ieee: ieee, capabilities: 0x80)).bytes
    }

    @Test func `bytes of a serial line become measurements however they are split`() throws {
        let bytes = announcement + report(21.5, number: 7) + report(22.25, number: 8)
        for split in 0...bytes.count {
            let bench = try Bench()
            try bench.hear(Array(bytes[..<split]))
            try bench.wait(seconds: 0.2)
            try bench.hear(Array(bytes[split...]))
            let measured = try bench.measured()
            #expect(measured.map(\.device) == [device, device], "split at \(split)")
            #expect(
                measured.map { $0.readings.first } == [
                    Events.Reading(.temperature, 21.5), Events.Reading(.temperature, 22.25),
                ])
            #expect(measured.map(\.counter) == [7, 8])
            #expect(measured.allSatisfy { $0.source == Bench.line && $0.lqi == 180 })
        }
        print("serial: \(bytes.count + 1) splits gave the same two measurements")
        #expect(bytes.count > 80)
    }

    @Test func `the same frame within ten seconds is one report`() throws {
        let bench = try Bench()
        try bench.hear(announcement + report(21.5, number: 7) + report(21.5, number: 7))
        try bench.wait(seconds: 9)
        try bench.hear(report(21.5, number: 7))
        #expect(try bench.measured().count == 1)
        try bench.wait(seconds: 11)
        try bench.hear(report(21.5, number: 7))
        #expect(try bench.measured().count == 2)
    }

    @Test func `reports from an unknown short address wait until it is resolved`() throws {
        let bench = try Bench()
        try bench.wait(seconds: 0.1)
        _ = bench.takeOrders()
        try bench.hear(report(21.5, number: 7))
        try bench.hear(report(21.75, number: 8))
        #expect(try bench.measured().isEmpty)
        let heardAt = bench.now
        // The coordinator processes one request at a time, and has not responded to the first.
        #expect(bench.takeOrders().isEmpty)
        try bench.wait(seconds: 2)
        #expect(bench.takeOrders() == [.deviceObject(.askIEEE(of: 0x1A2B, kind: 0, startIndex: 0))])
        try bench.hear(ZNPMessage.deviceObject(.ieee(status: 0, ieee: ieee, short: 0x1A2B, more: [])).bytes)
        let journal = try bench.journal()
        #expect(try bench.measured().map(\.device) == [device, device])
        #expect(journal.allSatisfy { $0.envelope.time == heardAt })
        #expect(journal.allSatisfy { $0.envelope.actor == .node(device) && $0.envelope.stream == "device/\(device)" })
    }

    @Test func `reports whose short address is not resolved are recorded under it after five seconds`() throws {
        let bench = try Bench()
        try bench.hear(report(21.5, number: 7))
        try bench.wait(seconds: 4)
        #expect(try bench.measured().isEmpty)
        try bench.wait(seconds: 2)
        #expect(try bench.measured().map(\.device) == [DeviceID("zb:1a2b")])
    }

    @Test func `the first 512 bytes of noise are quarantined in hex, with the number of all`() throws {
        let bench = try Bench()
        var random = SplitMix64(seed: 512)
        let garbage = random.bytes(2000).map { $0 == 0xFE ? 0x00 : $0 }
        try bench.wait(seconds: 0.1)
        for start in stride(from: 0, to: garbage.count, by: 100) {
            try bench.hear(Array(garbage[start...].prefix(100)))
        }
        #expect(try bench.quarantined().isEmpty)
        try bench.wait(seconds: 1.5)
        let quarantined = try bench.quarantined()
        #expect(quarantined.map(\.length) == [2000])
        #expect(quarantined.map(\.bytes) == [Hex.encode(garbage.prefix(512))])
        #expect(quarantined.map(\.source) == [Bench.line])
        #expect(quarantined.map(\.reason) == ["bytes that belong to no frame (byte 0)"])
        #expect(bench.notes.contains { $0.name == "inputs_unreadable" })
    }

    @Test func `noise around reports does not damage them`() throws {
        let bench = try Bench()
        try bench.hear([0x00, 0xFE, 0xFF] + announcement + [0x55] + report(21.5, number: 7) + [0xFE])
        try bench.wait(seconds: 3)
        #expect(try bench.measured().count == 1)
        let quarantined = try bench.quarantined()
        #expect(quarantined.reduce(0) { $0 + $1.length } == 5)
    }

    @Test func `reports behind a false frame length are read after a second of silence`() throws {
        let bench = try Bench()
        try bench.hear(announcement)
        try bench.hear([0xFE, 0xFA] + report(21.5, number: 7))
        #expect(try bench.measured().isEmpty)
        try bench.wait(seconds: 1.5)
        #expect(try bench.measured().count == 1)
    }

    @Test func `hours of noise become a limited number of events`() throws {
        let bench = try Bench()
        let seconds = 6 * 3600
        for _ in 0..<seconds {
            try bench.hear([1, 2, 3])
            bench.clock.advance(bySeconds: 1.1)
            try bench.take(.ticked(wall: bench.now))
        }
        let quarantined = try bench.quarantined()
        print("serial: six hours of garbage became \(quarantined.count) facts")
        #expect(quarantined.count < 60)
        // Each event counts itself and the others since the one before; the last ones are still pending.
        let told = quarantined.reduce(0) { $0 + 1 + $1.others }
        #expect(told > seconds - 1200 && told <= seconds)
        let times = try bench.journal().map(\.envelope.recorded)
        for (earlier, later) in zip(times, times.dropFirst()) { #expect(later.seconds(since: earlier) >= 1) }
    }

    @Test func `a valid frame with unreadable contents is quarantined as that frame`() throws {
        let bench = try Bench()
        // AF_INCOMING_MSG that ends in the middle of its header.
        let broken = UNPIFrame(.notice, 4, 0x81, [1, 2, 3]).bytes
        try bench.hear(broken)
        let quarantined = try bench.quarantined()
        #expect(quarantined.map(\.bytes) == [Hex.encode(broken)])
        #expect(quarantined.map(\.length) == [broken.count])
    }

    @Test func `bytes of a serial line that is not attached are ignored`() throws {
        let bench = try Bench()
        try bench.take(.received(source: "znp:/dev/other", bytes: announcement + report(21.5, number: 7)))
        #expect(try bench.journal().isEmpty)
    }
}
