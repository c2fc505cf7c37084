public import Vocabulary

/// Finds the packets in the bytes of a live HCI stream: H4, as a controller sends it, or btsnoop, as a monitor writes
/// it (its records know when they were heard).
///
/// H4 has no start byte and no check. So a packet is believed if its type and code exist and its length is not beyond
/// all reason; otherwise the search goes on at the next byte. A caller that hears nothing for a second in the middle of
/// a packet calls `reset`.
public struct HCIStream: Sendable {
    /// One packet in H4 form.
    public struct Packet: Hashable, Sendable {
        public var bytes: [UInt8]
        /// When it was heard, where the stream says so.
        public var time: Instant?
    }

    private var pending: [UInt8] = []
    /// How btsnoop records are to be read; nil for H4.
    private var link: BTSnoop.DataLink?
    private var noise: [UInt8] = []
    private var noiseBytes = 0

    /// How a btsnoop file begins.
    public static let fileMagic = BTSnoop.magic

    /// Magic, version and data link.
    public static let fileHeaderBytes = 16
    public static let recordHeaderBytes = 24

    /// How long the btsnoop record is that begins with this header; nil where it is no whole header.
    public static func recordBytes(_ header: [UInt8]) -> Int? {
        guard header.count == recordHeaderBytes else { return nil }
        return recordHeaderBytes + header[...].number(at: 4)
    }

    public init() {}

    /// Whether a packet has begun that a silence would end. A btsnoop record is waited for: its writer is only slow.
    public var isInsidePacket: Bool { link == nil && !pending.isEmpty }

    /// Whether bytes that belonged to no packet have come since they were taken last.
    public var hasNoise: Bool { noiseBytes > 0 }

    /// The first bytes, at most 512, that belonged to no packet since this was called last, and how many there were.
    public mutating func takeNoise() -> (bytes: [UInt8], count: Int) {
        defer {
            noise = []
            noiseBytes = 0
        }
        return (noise, noiseBytes)
    }

    public mutating func feed(_ bytes: [UInt8]) -> [Packet] {
        pending += bytes
        var packets: [Packet] = []
        var start = 0
        search: while start < pending.count {
            switch verdict(on: pending[start...]) {
            case .packet(let packet, let length):
                packets.append(packet)
                start += length
            case .skipped(let length): start += length
            case .noise:
                skip(pending[start])
                start += 1
            case .unfinished: break search
            }
        }
        pending.removeFirst(start)
        return packets
    }

    /// Gives up the packet that has begun; packets that its false length held back are returned.
    public mutating func reset() -> [Packet] {
        // In the middle of a btsnoop record nothing tells where the next one begins.
        if link != nil {
            while !pending.isEmpty { skip(pending.removeFirst()) }
        }
        link = nil
        var packets: [Packet] = []
        while !pending.isEmpty {
            skip(pending.removeFirst())
            packets += feed([])
        }
        return packets
    }

    private mutating func skip(_ byte: UInt8) {
        noiseBytes += 1
        if noise.count < RadioLimits.noise { noise.append(byte) }
    }

    private enum Verdict {
        case packet(Packet, length: Int)
        /// Understood, and no packet.
        case skipped(Int)
        case noise
        case unfinished
    }

    private mutating func verdict(on rest: ArraySlice<UInt8>) -> Verdict {
        // Whoever writes btsnoop may begin anew at any time, because the writer was started again.
        if rest.first == BTSnoop.magic[0] {
            if rest.count < BTSnoop.magic.count, BTSnoop.magic.starts(with: rest) { return .unfinished }
            if rest.starts(with: BTSnoop.magic) { return begin(rest) }
        }
        guard let link else { return Self.h4(rest) }
        return record(rest, link)
    }

    private mutating func begin(_ rest: ArraySlice<UInt8>) -> Verdict {
        guard rest.count >= Self.fileHeaderBytes else { return .unfinished }
        guard rest.number(at: 8) == 1, let link = BTSnoop.DataLink(rawValue: UInt32(rest.number(at: 12))) else {
            return .noise
        }
        self.link = link
        return .skipped(Self.fileHeaderBytes)
    }

    private mutating func record(_ rest: ArraySlice<UInt8>, _ link: BTSnoop.DataLink) -> Verdict {
        guard rest.count >= Self.recordHeaderBytes else { return .unfinished }
        let length = rest.number(at: 4)
        guard length <= RadioLimits.packet else {
            // No record can be found behind this one.
            self.link = nil
            return .noise
        }
        guard rest.count >= Self.recordHeaderBytes + length else { return .unfinished }
        let flags = UInt32(rest.number(at: 8))
        guard let type = BTSnoop.packetType(link, flags: flags) else {
            return .skipped(Self.recordHeaderBytes + length)
        }
        let bytes = rest.dropFirst(Self.recordHeaderBytes).prefix(length)
        let microseconds = Int64(bitPattern: UInt64(rest.number(at: 16)) << 32 | UInt64(rest.number(at: 20)))
        let time = Instant(microseconds: microseconds &- BTSnoop.epoch)
        return .packet(Packet(bytes: type + bytes, time: time), length: Self.recordHeaderBytes + length)
    }

    private static func h4(_ rest: ArraySlice<UInt8>) -> Verdict {
        let bytes = Array(rest.prefix(5))
        guard let kind = HCIPacket.Kind(rawValue: bytes[0]) else { return .noise }
        let head: Int
        let length: Int
        switch kind {
        case .event:
            guard bytes.count > 2 else { return bytes.count > 1 && !isEvent(bytes[1]) ? .noise : .unfinished }
            (head, length) = (3, Int(bytes[2]))
            guard isEvent(bytes[1]) else { return .noise }
            guard bytes[1] != HCIPacket.lowEnergy || (length > 0 && (bytes.count < 4 || isLowEnergy(bytes[3]))) else {
                return .noise
            }
        case .command, .synchronousData:
            guard bytes.count > 3 else { return .unfinished }
            (head, length) = (4, Int(bytes[3]))
        case .asynchronousData, .isochronousData:
            guard bytes.count > 4 else { return .unfinished }
            (head, length) = (5, Int(bytes[3]) | Int(bytes[4]) << 8)
            guard length <= RadioLimits.hciData else { return .noise }
        }
        guard rest.count >= head + length else { return .unfinished }
        return .packet(Packet(bytes: Array(rest.prefix(head + length)), time: nil), length: head + length)
    }

    /// Event codes that exist, those of makers among them (Bluetooth Core, volume 4, part E, 7.7).
    private static func isEvent(_ code: UInt8) -> Bool { (0x01...0x58).contains(code) || code >= 0xFE }

    /// Subevents of an LE Meta event that exist or may come to exist.
    private static func isLowEnergy(_ code: UInt8) -> Bool { (0x01...0x40).contains(code) }
}

extension ArraySlice<UInt8> {
    /// Four bytes, big-endian, so many bytes behind the first.
    fileprivate func number(at distance: Int) -> Int {
        dropFirst(distance).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }
}
