/// The header of the application support layer, and the payload behind it (ZigBee specification, section 2.2.5).
struct ApplicationFrame: Sendable {
    enum Kind: UInt8, Sendable {
        case data = 0
        case command = 1
        case acknowledgement = 2
        case interNetwork = 3
    }

    var kind: Kind
    var isSecured: Bool
    /// Whether this is one of several parts of a message.
    var isPart = false
    var destinationEndpoint: UInt8?
    var sourceEndpoint: UInt8 = 0
    var cluster: UInt16 = 0
    var profile: UInt16 = 0
    var counter: UInt8
    /// The received bytes of the header, which the authentication tag covers.
    var header: [UInt8]
    /// Security header and payload if the frame is secured, else the payload.
    var body: ByteReader

    init(_ reader: ByteReader) throws(Malformed) {
        let whole = reader
        var reader = reader
        let start = reader.offset
        let control = try reader.u8()
        let kind = Kind(rawValue: control & 3) ?? .data
        self.kind = kind
        isSecured = control & 0x20 != 0
        // An acknowledgement of a command contains no endpoints.
        let hasEndpoints = kind == .data || kind == .acknowledgement && control & 0x10 == 0
        if hasEndpoints {
            if control >> 2 & 3 == 3 { try reader.skip(2) } else { destinationEndpoint = try reader.u8() }
            cluster = try reader.u16()
            profile = try reader.u16()
            sourceEndpoint = try reader.u8()
        }
        counter = try reader.u8()
        if control & 0x80 != 0 {
            let parts = try reader.u8() & 3
            isPart = parts != 0
            if isPart { try reader.skip(1) }
            if isPart, kind == .acknowledgement { try reader.skip(1) }
        }
        header = Array(whole.rest.prefix(reader.offset - start))
        body = reader
    }
}
