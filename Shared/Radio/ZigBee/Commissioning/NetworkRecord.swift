/// A coordinator's record of its network, as its memory contains it (Z-Stack, `nwkIB_t`).
///
/// Processors of 8 bits store it packed, in 110 bytes, those of 32 bits with aligned members, in 116.
public struct NetworkRecord: Hashable, Sendable {
    public var panID: UInt16
    public var extendedPANID: UInt64
    /// 11 to 26; 0 if there is no network.
    public var channel: UInt8
    public var hasKey: Bool

    public init(panID: UInt16, extendedPANID: UInt64, channel: UInt8, hasKey: Bool) {
        self.panID = panID
        self.extendedPANID = extendedPANID
        self.channel = channel
        self.hasKey = hasKey
    }

    /// Whether the coordinator has formed this network.
    public var isFormed: Bool { hasKey && channel != 0 && panID != 0xFFFE }

    public static let packedBytes = 110
    public static let alignedBytes = 116

    /// Throws if the record has neither length.
    public init(_ bytes: [UInt8]) throws(Malformed) {
        let isAligned = bytes.count == Self.alignedBytes
        guard isAligned || bytes.count == Self.packedBytes else {
            throw Malformed("a network record of \(bytes.count) bytes", at: 0)
        }
        var reader = ByteReader(bytes)
        try reader.skip(isAligned ? 24 : 22)
        channel = try reader.u8()
        try reader.skip(isAligned ? 11 : 10)
        panID = try reader.u16()
        try reader.skip(isAligned ? 19 : 18)
        extendedPANID = try reader.u64()
        hasKey = try reader.u8() != 0
    }

    /// The record as a processor of 32 bits stores it; members that are not read here are 0.
    public var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append([UInt8](repeating: 0, count: 24))
        writer.u8(channel)
        writer.append([UInt8](repeating: 0, count: 11))
        writer.u16(panID)
        writer.append([UInt8](repeating: 0, count: 19))
        writer.u64(extendedPANID)
        writer.u8(hasKey ? 1 : 0)
        writer.append([UInt8](repeating: 0, count: Self.alignedBytes - writer.bytes.count))
        return writer.bytes
    }
}
