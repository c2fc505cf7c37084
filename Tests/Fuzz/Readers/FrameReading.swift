import EventSourcing
import JSON
import Vocabulary

@testable import EventBus

/// A message of the event bus: two lengths of two bytes, then its three frames.
enum FrameReading {
    typealias Page = (_ payload: [UInt8], _ first: Position, _ count: Int) throws(BusAnomaly) -> [Entry]

    static func read(_ bytes: [UInt8], page: Page) {
        guard bytes.count >= 4 else { return }
        let first = min(4 + (Int(bytes[0]) << 8 | Int(bytes[1])), bytes.count)
        let second = min(first + (Int(bytes[2]) << 8 | Int(bytes[3])), bytes.count)
        let frames = [Array(bytes[4..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
        do throws(BusAnomaly) {
            // One frame too few.
            _ = frames[1].isEmpty ? try Message(frames.dropLast()) : nil
            let message = try Message(frames)
            precondition(message.frames == frames, "writing gives other frames")
            try headers(of: message, page)
        } catch { return }
    }

    private static func headers(of message: Message, _ page: Page) throws(BusAnomaly) {
        switch message.kind {
        case .hello:
            let name = try FeedHeader.parse(message.header, CallHeader.init(header:))
            try same(name, name.header, CallHeader.init(header:))
        case .notify:
            let head = try FeedHeader.parse(message.header, Head.init(header:))
            try same(head, head.header, Head.init(header:))
        case .pageAsked:
            let asked = try FeedHeader.parse(message.header, PageRequest.init(header:))
            try same(asked, asked.header, PageRequest.init(header:))
        case .page:
            let header = try FeedHeader.parse(message.header, PageHeader.init(header:))
            try same(header, header.header, PageHeader.init(header:))
            let payload = try header.unpacked.map { count throws(BusAnomaly) in
                try PagePacker().unpack(message.payload, count: count)
            }
            let entries = try page(payload ?? message.payload, header.first, header.count)
            let again = PackedEntries(entries)
            precondition(again.count <= entries.count, "more entries than were read")
            precondition((payload ?? message.payload).starts(with: again.bytes), "writing gives other entries")
        case .refused:
            let refused = try FeedHeader.parse(message.header, PageRejection.init(header:))
            try same(refused, refused.header, PageRejection.init(header:))
        case .asked:
            let ask = try IncomingRequest(MessageSocket.ReceivedMessage(peer: [1], user: nil, message: message))
            precondition(ask.body == message.payload && ask.entropy.count == BusLimits.entropyBytes, "another request")
        case .answered: break
        }
    }

    private static func same<Value: Equatable>(
        _ value: Value, _ header: [UInt8], _ read: (JSONValue) throws(JSONError) -> Value
    ) throws(BusAnomaly) {
        let again = try FeedHeader.parse(header, read)
        precondition(again == value, "writing gives another header")
    }
}

extension FrameReading {
    private static let hash = [UInt8](repeating: 0x11, count: 32)
    private static let epoch = Epoch(0xE1)
    private static let feed = "sensor-ingest/farm-0"
    private static let head = Head(feed: feed, epoch: epoch, position: 3, hash: hash)
    private static let payload = PackedEntries(
        [1, 2].map { Entry(position: $0, hash: hash, bytes: Array("{}".utf8)) }
    ).bytes

    private static let packed = PagePacker().pack(payload) ?? payload

    /// Returns a message of each kind.
    static func seeds() -> [[UInt8]] {
        let after = Checkpoint(epoch: epoch, position: 3, hash: hash)
        return [
            Message(.hello, header: CallHeader(name: feed).header), Message(.notify, header: head.header),
            Message(.pageAsked, request: 7, header: PageRequest(feed: feed, after: nil).header),
            Message(.pageAsked, request: 7, header: PageRequest(feed: feed, after: after, unpacks: true).header),
            page(2, payload, start: hash), page(0, []), page(2, packed, unpacked: payload.count),
            Message(.refused, request: 7, header: PageRejection(feed: feed, reason: .busy).header),
            Message(.refused, request: 7, header: PageRejection(feed: feed, reason: .diverged, head: head).header),
            asked(), said(.answered, #"{"status":200}"#),
        ].map { written($0.frames) }
    }

    /// Returns messages with an error in each part.
    static func wrongSeeds() -> [[UInt8]] {
        let notification = String(decoding: head.header, as: UTF8.self)
        let messages = [
            said(.hello, #"{"name":""}"#), said(.notify, #"{"feed":""}"#), said(.notify, "["),
            said(.notify, notification.replacing("11111111", with: "")),
            said(.pageAsked, #"{"feed":"hub","after":18446744073709551615}"#), page(1, payload),
            page(2, packed, unpacked: 7), page(2, payload, unpacked: payload.count), page(2, packed, unpacked: .max),
            page(2, Array(payload.dropLast())), page(2, Array(payload.prefix(40))), page(-1, []),
            page(2, payload, first: .max), asked(("\"v\"", "\"\"")), asked(("\"k\"", "null")), asked((":5", ":-5")),
            asked(("service/x", "nobody/x")), said(.answered, String(repeating: " ", count: BusLimits.headerBytes + 1)),
        ].map(\.frames)
        let ends = [[[0x20] + [UInt8](repeating: 0, count: 8), [], []], [[0x11], [], []], [[], [], []]]
        return (messages + ends).map(written)
    }

    private static func page(
        _ count: Int, _ payload: [UInt8], start: [UInt8]? = nil, first: Position = 1, unpacked: Int? = nil
    ) -> Message {
        let header = PageHeader(head: head, first: first, count: count, start: start, unpacked: unpacked).header
        return Message(.page, request: 7, header: header, payload: payload)
    }

    private static func asked(_ change: (part: String, wrong: String)? = nil) -> Message {
        let entropy = String(repeating: "07", count: 16)
        let header = #"{"verb":"v","actor":"service/x","key":"k","entropy":"\#(entropy)","deadline":5}"#
        let text = change.map { header.replacing($0.part, with: $0.wrong) } ?? header
        return Message(.asked, request: 7, header: Array(text.utf8), payload: Array("{}".utf8))
    }

    private static func said(_ kind: Message.Kind, _ header: String) -> Message {
        Message(kind, request: 7, header: Array(header.utf8))
    }

    private static func written(_ frames: [[UInt8]]) -> [UInt8] {
        frames.prefix(2).flatMap { [UInt8($0.count >> 8), UInt8($0.count & 0xFF)] } + frames.joined()
    }
}
