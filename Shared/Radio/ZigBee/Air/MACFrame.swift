/// One frame on the air (IEEE 802.15.4-2006, section 7.2), without its check sequence.
struct MACFrame: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case beacon = 0
        case data = 1
        case acknowledgement = 2
        case command = 3
    }

    enum Address: Hashable, Sendable {
        case short(UInt16)
        case ieee(UInt64)
    }

    var kind: Kind
    var source: Address?
    var destination: Address?
    var payload: ByteReader

    init(_ bytes: [UInt8]) throws(Malformed) {
        var reader = ByteReader(bytes)
        let control = try reader.u16()
        guard let kind = Kind(rawValue: UInt8(control & 7)) else { throw Malformed("no such MAC frame", at: 0) }
        guard control & 0x3000 < 0x2000 else { throw Malformed("a MAC frame of a later standard", at: 0) }
        guard control & 0x08 == 0 else { throw Malformed("a MAC frame that is encrypted itself", at: 0) }
        self.kind = kind
        try reader.skip(1)  // sequence number
        let destinationMode = control >> 10 & 3
        let sourceMode = control >> 14 & 3
        if destinationMode != 0 {
            try reader.skip(2)  // PAN of the receiver
            destination = try Self.address(destinationMode, &reader)
        }
        if sourceMode != 0 {
            let sharesNetwork = control & 0x40 != 0 && destinationMode != 0
            if !sharesNetwork { try reader.skip(2) }
            source = try Self.address(sourceMode, &reader)
        }
        payload = reader
    }

    private static func address(_ mode: UInt16, _ reader: inout ByteReader) throws(Malformed) -> Address {
        switch mode {
        case 2: .short(try reader.u16())
        case 3: .ieee(try reader.u64())
        default: throw Malformed("no such MAC address", at: reader.offset)
        }
    }

    /// Returns the check sequence: CRC-16 of ITU-T, lowest bit first, initial value zero.
    static func check(_ bytes: [UInt8]) -> UInt16 {
        var check: UInt16 = 0
        for byte in bytes {
            check ^= UInt16(byte)
            for _ in 0..<8 { check = check & 1 == 1 ? check >> 1 ^ 0x8408 : check >> 1 }
        }
        return check
    }
}

extension ByteReader: Hashable {
    package static func == (left: ByteReader, right: ByteReader) -> Bool { left.rest == right.rest }

    package func hash(into hasher: inout Hasher) { hasher.combine(rest) }
}
