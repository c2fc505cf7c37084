public import Vocabulary

/// The parser of a live HCI stream: H4, as a controller sends it, or btsnoop, as a monitor writes it, with times.
///
/// H4 has no start byte and no checksum. So a packet is accepted if its type and code exist and its length is within
/// the limit; otherwise the search continues at the next byte. A caller that receives nothing for a second in the
/// middle of a packet calls `reset`.
public struct HCIStream: Sendable {
    /// One packet in H4 form.
    public struct Packet: Hashable, Sendable {
        public var bytes: [UInt8]
        /// The time of reception, if the stream contains it.
        public var time: Instant?
    }

    private var pending: [UInt8] = []
    /// The packet format in btsnoop records; nil for H4.
    private var link: BTSnoop.DataLink?
    private var noise: [UInt8] = []
    private var noiseBytes = 0

    /// The first bytes of a btsnoop file.
    public static let fileMagic = BTSnoop.magic

    /// The length of magic, version and data link.
    public static let fileHeaderBytes = 16
    public static let recordHeaderBytes = 24

    /// Returns the length of the btsnoop record with this header; nil if the header is incomplete.
    public static func recordBytes(_ header: [UInt8]) -> Int? {
        guard header.count == recordHeaderBytes else { return nil }
        return recordHeaderBytes + header[...].number(at: 4)
    }

    public init() {}

    /// Whether a packet has begun that a period of silence would end. Never true in btsnoop, where a pause only means a
    /// slow writer.
    public var isInsidePacket: Bool { link == nil && !pending.isEmpty }

    /// Whether there are bytes of no packet that `takeNoise` has not returned yet.
    public var hasNoise: Bool { noiseBytes > 0 }

    /// Returns the first bytes, at most 512, that belonged to no packet since the last call, and their full number.
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

    /// Abandons the packet that has begun; returns packets that were found behind its false start.
    public mutating func reset() -> [Packet] {
        // Within a btsnoop record, the start of the next record cannot be found.
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
        /// Valid, but no packet.
        case skipped(Int)
        case noise
        case unfinished
    }

    private mutating func verdict(on rest: ArraySlice<UInt8>) -> Verdict {
        // A btsnoop stream may begin again at any time, because its writer was restarted.
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
            // The start of the next record cannot be found.
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

    /// Event codes that exist, including vendor-specific ones (Bluetooth Core, volume 4, part E, 7.7).
    private static func isEvent(_ code: UInt8) -> Bool { (0x01...0x58).contains(code) || code >= 0xFE }

    /// Subevents of an LE Meta event that exist or are reserved.
    private static func isLowEnergy(_ code: UInt8) -> Bool { (0x01...0x40).contains(code) }
}

extension ArraySlice<UInt8> {
    /// Returns the four bytes at a distance from the start as a big-endian number.
    fileprivate func number(at distance: Int) -> Int {
        dropFirst(distance).prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }
}
