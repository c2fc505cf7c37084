import EventSourcing
import TestKit
import Testing

@testable import EventBus

@Suite("Messages of the bus")
struct MessageTests {
    @Test func `a message has the documented bytes`() throws {
        let message = Message(.pageAsked, request: 0x0102_0304_0506_0708, header: Array("{}".utf8), payload: [9])
        #expect(message.frames == [[0x13, 1, 2, 3, 4, 5, 6, 7, 8], Array("{}".utf8), [9]])
        let head = Head(
            feed: "hub", epoch: Epoch(0xAB), position: .max, hash: [UInt8](repeating: 0xF0, count: 32))
        let hash = String(repeating: "f0", count: 32)
        #expect(
            String(decoding: head.header, as: UTF8.self)
                == #"{"feed":"hub","epoch":"00000000000000ab","position":18446744073709551615,"hash":"\#(hash)"}"#)
        let payload = PackedEntries([Entry(position: 5, hash: head.hash, bytes: [1, 2])])
        #expect(payload.bytes == [0, 0, 0, 2] + head.hash + [1, 2])
        #expect(payload.first == 5 && payload.last?.position == 5 && payload.last?.hash == head.hash)
    }

    @Test func `a message reads back as it was written`() throws {
        var random = SplitMix64(seed: 11)
        var count = 0
        for _ in 0..<2_000 {
            let kind = try #require(Message.Kind(rawValue: UInt8.random(in: 1...7, using: &random)))
            let message = Message(
                kind, request: .random(in: 0 ... .max, using: &random), header: bytes(0...200, &random),
                payload: bytes(0...200, &random))
            #expect(try Message(message.frames) == message)
            let entries = (0..<Int.random(in: 0...20, using: &random)).map {
                Entry(position: 100 + UInt64($0), hash: bytes(32...32, &random), bytes: bytes(0...300, &random))
            }
            let payload = PackedEntries(entries).bytes
            #expect(try PagePayload.read(payload, first: 100, count: entries.count) == entries)
            // With one byte or one entry less or more it is not a page.
            for (wrong, number) in [
                (Array(payload.dropLast()), entries.count), (payload + [0], entries.count),
                (payload, entries.count + 1), (payload, entries.count - 1),
            ] where !(payload.isEmpty && wrong.isEmpty && number == 0) {
                #expect(throws: BusAnomaly.unreadablePayload) {
                    try PagePayload.read(wrong, first: 100, count: number)
                }
                count += 1
            }
        }
        print("checked 2000 messages, \(count) broken pages")
        #expect(count >= 7_000)
    }

    @Test func `a message that exceeds a limit or is malformed is rejected`() {
        let head: [UInt8] = [0x11, 0, 0, 0, 0, 0, 0, 0, 0]
        let cases: [([[UInt8]], BusAnomaly)] = [
            ([], .malformedMessage), ([head], .malformedMessage), ([head, [], [], []], .malformedMessage),
            ([[0x11], [], []], .malformedMessage), ([[0x21] + head.dropFirst(), [], []], .malformedMessage),
            ([[0x10] + head.dropFirst(), [], []], .malformedMessage),
            ([[0x18] + head.dropFirst(), [], []], .malformedMessage),
            ([head, [UInt8](repeating: 32, count: BusLimits.headerBytes + 1), []], .oversizedMessage),
            ([head, [], [UInt8](repeating: 32, count: BusLimits.frameBytes + 1)], .oversizedMessage),
        ]
        for (frames, anomaly) in cases { #expect(throws: anomaly) { try Message(frames) } }
    }

    @Test func `packed entries stop at the limits of a page and before a gap`() {
        let small = (1...600).map { Entry(position: UInt64($0), hash: [], bytes: [1]) }
        #expect(PackedEntries(small).count == EventLimits.pageEvents)
        let large = (1...20).map {
            Entry(position: UInt64($0), hash: [], bytes: [UInt8](repeating: 0, count: EventLimits.eventBytes))
        }
        #expect(PackedEntries(large).count == EventLimits.pageBytes / EventLimits.eventBytes)
        #expect(PackedEntries(small.filter { $0.position != 30 }).count == 29)
        #expect(PackedEntries([]).count == 0 && PackedEntries().last == nil)
        let full = (1...EventLimits.pageEvents).map {
            Entry(
                position: UInt64($0), hash: [UInt8](repeating: 0, count: 32), bytes: [UInt8](repeating: 0, count: 512))
        }
        #expect(PackedEntries(full).bytes.count == BusLimits.pagePayloadBytes)
    }

    private func bytes(_ count: ClosedRange<Int>, _ random: inout SplitMix64) -> [UInt8] {
        (0..<Int.random(in: count, using: &random)).map { _ in .random(in: 0...255, using: &random) }
    }
}
