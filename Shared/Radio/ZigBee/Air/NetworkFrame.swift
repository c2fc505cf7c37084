/// The header of the network layer, and the payload behind it (ZigBee specification, section 3.3).
struct NetworkFrame: Sendable {
    enum Kind: UInt8, Sendable {
        case data = 0
        case command = 1
    }

    var kind: Kind
    var isSecured: Bool
    var source: UInt16
    var destination: UInt16
    var sourceIEEE: UInt64?
    var destinationIEEE: UInt64?
    /// The received bytes of the header, which the authentication tag covers.
    var header: [UInt8]
    /// Security header and payload if the frame is secured, else the payload.
    var body: ByteReader

    init(_ reader: ByteReader) throws(Malformed) {
        let whole = reader
        var reader = reader
        let start = reader.offset
        let control = try reader.u16()
        guard let kind = Kind(rawValue: UInt8(control & 3)) else { throw Malformed("no such network frame", at: start) }
        guard control >> 2 & 0x0F == 2 else { throw Malformed("no such ZigBee version", at: start) }
        self.kind = kind
        isSecured = control & 0x0200 != 0
        destination = try reader.u16()
        source = try reader.u16()
        try reader.skip(2)  // radius, sequence number
        if control & 0x0800 != 0 { destinationIEEE = try reader.u64() }
        if control & 0x1000 != 0 { sourceIEEE = try reader.u64() }
        if control & 0x0100 != 0 { try reader.skip(1) }  // multicast
        if control & 0x0400 != 0 {
            let relays = Int(try reader.u8())
            try reader.skip(1 + 2 * relays)
        }
        header = Array(whole.rest.prefix(reader.offset - start))
        body = reader
    }
}
