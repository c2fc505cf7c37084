/// A message of a device as the coordinator passes it on (AF_INCOMING_MSG and AF_INCOMING_MSG_EXT).
public struct IncomingMessage: Hashable, Sendable {
    /// The sender, by the address that the coordinator knows.
    public enum Source: Hashable, Sendable {
        case short(UInt16)
        case ieee(UInt64)
    }

    public var group: UInt16
    public var cluster: UInt16
    public var source: Source
    public var sourceEndpoint: UInt8
    public var destinationEndpoint: UInt8
    public var wasBroadcast: Bool
    public var lqi: UInt8
    public var security: UInt8
    /// The coordinator's own clock.
    public var timestamp: UInt32
    public var sequence: UInt8
    public var data: [UInt8]
    /// Only in extended messages: the sender's network, and the full length of the data.
    public var extra: Extension?
    /// The last router's short address and the hops left, which firmware appends without documenting it.
    public var trailer: Trailer?

    /// The additional fields of extended messages.
    public struct Extension: Hashable, Sendable {
        public var panID: UInt16
        /// The full length. If `data` is shorter, the rest is fetched with `retrieve`.
        public var wholeLength: UInt16

        public init(panID: UInt16, wholeLength: UInt16) {
            self.panID = panID
            self.wholeLength = wholeLength
        }
    }

    /// The route of a message, as newer firmware reports it.
    public struct Trailer: Hashable, Sendable {
        public var router: UInt16
        public var radius: UInt8

        public init(router: UInt16, radius: UInt8) {
            self.router = router
            self.radius = radius
        }
    }

    public init(
        group: UInt16 = 0, cluster: UInt16, source: Source, sourceEndpoint: UInt8, destinationEndpoint: UInt8,
        wasBroadcast: Bool = false, lqi: UInt8, security: UInt8 = 0, timestamp: UInt32, sequence: UInt8,
        data: [UInt8], extra: Extension? = nil, trailer: Trailer? = nil
    ) {
        self.group = group
        self.cluster = cluster
        self.source = source
        self.sourceEndpoint = sourceEndpoint
        self.destinationEndpoint = destinationEndpoint
        self.wasBroadcast = wasBroadcast
        self.lqi = lqi
        self.security = security
        self.timestamp = timestamp
        self.sequence = sequence
        self.data = data
        self.extra = extra
        self.trailer = trailer
    }

    public var isExtended: Bool { extra != nil }

    /// Whether the coordinator still stores a part of the data.
    public var isIncomplete: Bool { extra.map { Int($0.wholeLength) > data.count } ?? false }

    init(plain reader: inout ByteReader) throws(Malformed) {
        self.init(
            group: try reader.u16(), cluster: try reader.u16(), source: .short(try reader.u16()),
            sourceEndpoint: try reader.u8(), destinationEndpoint: try reader.u8(),
            wasBroadcast: try reader.u8() != 0, lqi: try reader.u8(), security: try reader.u8(),
            timestamp: try reader.u32(), sequence: try reader.u8(), data: try reader.take(Int(try reader.u8())))
        trailer = try Self.trailer(&reader)
    }

    init(extended reader: inout ByteReader) throws(Malformed) {
        let group = try reader.u16()
        let cluster = try reader.u16()
        let mode = try reader.u8()
        let address = try reader.u64()
        let sourceEndpoint = try reader.u8()
        let panID = try reader.u16()
        self.init(
            group: group, cluster: cluster,
            source: mode == 3 ? .ieee(address) : .short(UInt16(truncatingIfNeeded: address)),
            sourceEndpoint: sourceEndpoint, destinationEndpoint: try reader.u8(),
            wasBroadcast: try reader.u8() != 0, lqi: try reader.u8(), security: try reader.u8(),
            timestamp: try reader.u32(), sequence: try reader.u8(), data: [])
        let length = try reader.u16()
        extra = Extension(panID: panID, wholeLength: length)
        if Int(length) <= reader.remaining {
            data = try reader.take(Int(length))
            trailer = try Self.trailer(&reader)
        } else {
            data = reader.rest
        }
    }

    private static func trailer(_ reader: inout ByteReader) throws(Malformed) -> Trailer? {
        guard reader.remaining >= 3 else { return nil }
        return Trailer(router: try reader.u16(), radius: try reader.u8())
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.u16(group)
        writer.u16(cluster)
        writeSource(to: &writer)
        writer.append([destinationEndpoint, wasBroadcast ? 1 : 0, lqi, security])
        writer.u32(timestamp)
        writer.u8(sequence)
        if let extra { writer.u16(extra.wholeLength) } else { writer.u8(UInt8(clamping: data.count)) }
        writer.append(data)
        if let trailer {
            writer.u16(trailer.router)
            writer.u8(trailer.radius)
        }
        return writer.bytes
    }

    private func writeSource(to writer: inout ByteWriter) {
        switch (source, extra) {
        case (.short(let short), nil): writer.u16(short)
        case (.ieee(let ieee), nil): writer.u16(UInt16(truncatingIfNeeded: ieee))
        case (.short(let short), .some):
            writer.u8(2)
            writer.u64(UInt64(short))
        case (.ieee(let ieee), .some):
            writer.u8(3)
            writer.u64(ieee)
        }
        writer.u8(sourceEndpoint)
        if let extra { writer.u16(extra.panID) }
    }
}
