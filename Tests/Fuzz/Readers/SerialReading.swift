import JSON
import Vocabulary

@testable import Radio
@testable import SensorIngest

/// The serial line of a ZigBee coordinator: frames, messages, clusters, layouts.
enum SerialReading {
    static func read(_ bytes: [UInt8]) {
        var parser = UNPIParser()
        let frames = parser.feed(bytes)
        for frame in frames { look(at: frame) }
        let middle = bytes.count / 2
        var halves = UNPIParser()
        precondition(
            halves.feed(Array(bytes[..<middle])) + halves.feed(Array(bytes[middle...])) == frames,
            "two parts give other frames")
        precondition(halves.skippedBytes == parser.skippedBytes && halves.failedChecks >= parser.failedChecks)
        var radio = SerialRadio()
        var memory = RadioMemory()
        var now = Instant(microseconds: 1_777_792_500_000_000)
        memory.take(radio.receive(bytes, at: now, wall: now).inputs)
        for _ in 0..<3 {
            now = now.advanced(bySeconds: 3)
            memory.take(radio.tend(at: now, wall: now).inputs)
        }
    }

    private static func look(at frame: UNPIFrame) {
        var decoder = ZNPDecoder()
        _ = decoder.decode(frame)
        precondition(frame.responseCode & 0x6000 == 0x6000, "no response")
        var parser = UNPIParser()
        precondition(parser.feed(frame.bytes) == [frame], "writing gives another frame")
        do throws(Malformed) {
            let message = try ZNPMessage(frame)
            let again = try ZNPMessage(message.frame)
            precondition(again == message, "writing gives another message")
        } catch { return }
    }
}

extension SerialReading {
    /// Returns recorded messages of coordinators, each cluster report in its own frame, and inputs missing in the
    /// recordings.
    static func seeds() throws -> [[UInt8]] {
        var seeds: [[UInt8]] = [
            UNPIFrame(0x6000, [2, 0x21, 1]).bytes, UNPIFrame(0x4480).bytes, [0xFE, 0xFB], [0xFE, 2, 0x44],
            UNPIFrame(0x2101).bytes + [0, 1, 2] + UNPIFrame(0x6101, [0x79, 1]).bytes,
        ]
        for path in ["znp", "znp-startup-transcript-ZStack3CC2531", "znp-startup-transcript-CC26X2R1"] {
            seeds += try Recordings.lines("zigbee/\(path).jsonl").prefix(400).compactMap { $0.bytes("hex") }
        }
        for path in ["zcl", "xiaomi", "tuya"] {
            for line in try Recordings.lines("zigbee/\(path).jsonl") {
                guard var data = line.bytes("hex") else { continue }
                if path == "xiaomi" { data = [0x1C, 0x5F, 0x11, 0x7F, 0x0A] + data }
                let cluster = line["cluster"]?.string.flatMap { UInt16($0.dropFirst(2), radix: 16) }
                seeds.append(incoming(cluster ?? (path == "tuya" ? 0xEF00 : 0), data))
            }
        }
        return seeds + messages() + reports()
    }

    /// Returns messages of the host, and rare messages of coordinators.
    private static func messages() -> [[UInt8]] {
        let outgoing = FrameworkMessage.OutgoingMessage(
            destination: 0x1A2B, destinationEndpoint: 1, sourceEndpoint: 1, cluster: 0x402, transaction: 3,
            data: [1, 2])
        let info = DeviceObjectMessage.DeviceInfo(
            status: 0, ieee: 7, short: 0, kinds: 7, state: 9, children: [0x1A2B, 0x1A2C])
        let long = [UInt8](repeating: 0, count: 9) + [7] + [UInt8](repeating: 0, count: 16)
        let extended = [3, 2].map {
            UNPIFrame(0x4482, [0, 0, 2, 4, $0] + long + [4, 0, 1, 2, 3, 4, 0x2B, 0x1A, 0x1D])
        }
        let messages: [ZNPMessage] = [
            .framework(.send(outgoing)), .framework(.retrieve(timestamp: 7, index: 0, length: 20)),
            .framework(.retrieved(status: 0, data: [1, 2, 3])), .deviceObject(.deviceInfo(info)),
            .deviceObject(.askActiveEndpoints(destination: 0x1A2B, of: 0x1A2B)),
        ]
        let others = [
            UNPIFrame(0x45C8, [0x2B, 0x1A, 1, 2, 3, 4, 5, 6, 7, 8, 9]), UNPIFrame(0x4482, long + long + [9, 9]),
        ]
        return (messages.map(\.frame) + extended + others).map(\.bytes)
    }

    /// Returns reports of every known cluster and layout, and nested lists.
    private static func reports() -> [[UInt8]] {
        let number: [UInt8] = [0, 0, 0x29, 0x2E, 9, 0x21, 0, 0x20, 200]
        let clusters: [UInt16] = [0, 1, 0x400, 0x402, 0x403, 0x405, 0x407, 0x408, 0x409, 0x40A, 0x40D, 0xFCC0]
        let lists: [[UInt8]] = [
            [5, 0, 0x48, 0x20, 2, 0, 1, 2], [5, 0, 0x50, 0x48, 1, 0, 0x20, 1, 0, 7], [5, 0, 0x51, 0x20, 0xFF, 0xFF],
            [5, 0, 0x48] + [UInt8](repeating: 0x48, count: 40), [5, 0, 0x4C, 1, 0, 0x20, 7], [5, 0, 0x48, 0, 1, 0],
            [
                5, 0, 0x48, 0x48, 1, 0, 0x48, 1, 0, 0x48, 1, 0, 0x48, 1, 0, 0x48, 1, 0, 0x48, 1, 0, 0x48, 1, 0, 0x48, 1,
                0,
            ],
        ]
        var frames = clusters.map { incoming($0, report(number)) } + lists.map { incoming(0, report($0)) }
        for layout in Layout.known {
            let values: [Quantity: Double] = [.temperature: -3.5, .humidity: 60, .illuminance: 900, .voltage: 3]
            frames.append(incoming(layout.cluster, endpoint: 240, layout.write(values, counter: 9)))
            frames.append(incoming(layout.cluster, endpoint: 240, [1, 2]))
        }
        // A profile of Furrow's own without a layout, and a foreign one.
        frames += [incoming(0x402, endpoint: 240, report(number)), incoming(0x402, endpoint: 240, [1])]
        let neighbour = FrameworkMessage.EndpointDescription(
            endpoint: 9, profile: 0xC25D, device: 0, inputs: [1], outputs: [2])
        let register = ZNPMessage.framework(.register(neighbour)).frame.bytes
        return frames + [report(number), [1]].map { register + incoming(0x402, endpoint: 9, $0) }
    }

    private static func report(_ records: [UInt8]) -> [UInt8] {
        ZCLFrame(isFromServer: true, transaction: 1, command: ZCLFrame.Command.reportAttributes, payload: records).bytes
    }

    /// Returns a message to one of the coordinator's endpoints.
    private static func incoming(_ cluster: UInt16, endpoint: UInt8 = 1, _ data: [UInt8]) -> [UInt8] {
        let low = UInt8(truncatingIfNeeded: cluster)
        let head: [UInt8] = [0, 0, low, UInt8(cluster >> 8), 0x2B, 0x1A, 1, endpoint, 0, 0x28, 0, 0, 0, 0, 0, 7]
        return UNPIFrame(0x4481, head + [UInt8(data.count)] + data + [0x2B, 0x1A, 0x1D]).bytes
    }
}
