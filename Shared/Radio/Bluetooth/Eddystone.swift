/// Google's beacon formats, in the service data of 0xFEAA (Eddystone protocol specification); all big-endian.
enum Eddystone {
    static let service: UInt16 = 0xFEAA

    private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
    private static let endings = [
        ".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/", ".com", ".org", ".edu", ".net", ".info",
        ".biz", ".gov",
    ]

    /// Reads one frame; its kind is in the high four bits of the first byte.
    static func read(_ body: inout ByteReader) throws(Malformed) -> Beacon.Kind {
        let start = body.offset
        switch try body.u8() {
        case 0x00:
            // Two reserved bytes follow, which some makers omit.
            let power = Int(try body.i8())
            return .eddystoneUID(namespace: try body.take(10), instance: try body.take(6), power: power)
        case 0x10:
            let power = Int(try body.i8())
            return .eddystoneURL(url: try url(&body), power: power)
        case 0x20: return try telemetry(&body)
        case 0x30:
            let power = Int(try body.i8())
            return .eddystoneEID(identifier: try body.take(8), power: power)
        default: throw Malformed("no such Eddystone frame", at: start)
        }
    }

    private static func url(_ body: inout ByteReader) throws(Malformed) -> String {
        let start = body.offset
        let scheme = Int(try body.u8())
        guard scheme < schemes.count else { throw Malformed("no such URL scheme", at: start) }
        var text = schemes[scheme]
        while !body.isAtEnd {
            let code = try body.u8()
            switch code {
            case 0..<14: text += endings[Int(code)]
            case 0x21...0x7E: text.append(Character(Unicode.Scalar(code)))
            default: throw Malformed("a letter that no URL has", at: body.offset - 1)
            }
        }
        return text
    }

    private static func telemetry(_ body: inout ByteReader) throws(Malformed) -> Beacon.Kind {
        let start = body.offset
        switch try body.u8() {
        case 0x00:
            let millivolts = try body.u16BE()
            let celsius = try body.i16BE()
            let count = try body.u32BE()
            let tenths = try body.u32BE()
            return .eddystoneTLM(
                volts: millivolts == 0 ? nil : Double(millivolts) / 1000,
                celsius: celsius == .min ? nil : Double(celsius) / 256,
                advertisements: count, seconds: Double(tenths) / 10)
        case 0x01:
            return .eddystoneEncryptedTLM(data: try body.take(12), salt: try body.u16BE(), mic: try body.u16BE())
        default: throw Malformed("no such version of Eddystone telemetry", at: start)
        }
    }
}
