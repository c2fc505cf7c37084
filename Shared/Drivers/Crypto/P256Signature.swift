/// The two encodings of an ECDSA signature over P-256: `r ‖ s` in browsers and COSE, DER in X.509.
public enum P256Signature {
    /// Bytes of `r ‖ s`.
    public static let size = 64
    /// Bytes of the longest DER encoding: two integers of 33 bytes.
    static let derBytesMax = 72

    /// Returns the DER encoding of 64 bytes `r ‖ s`.
    public static func der(fromRaw raw: [UInt8]) throws(CryptoError) -> [UInt8] {
        let operation = "P-256 signature to DER"
        guard raw.count == size else { throw CryptoError(operation: operation, reason: "r ‖ s has 64 bytes") }
        return encode(raw.prefix(32), raw.suffix(32))
    }

    /// Returns the 64 bytes `r ‖ s` of a DER encoding; throws unless it is the canonical one.
    public static func raw(fromDER der: [UInt8]) throws(CryptoError) -> [UInt8] {
        let malformed = CryptoError(operation: "P-256 signature from DER", reason: "malformed")
        guard der.count <= derBytesMax else { throw malformed }
        var reader = der[...]
        guard reader.popFirst() == 0x30, let length = reader.popFirst(), Int(length) == reader.count,
            let r = number(from: &reader), let s = number(from: &reader), reader.isEmpty
        else { throw malformed }
        let raw = r + s
        // A signature has one encoding only: re-encoding must give the same bytes.
        guard encode(raw.prefix(32), raw.suffix(32)) == der else { throw malformed }
        return raw
    }

    /// Reads one DER integer into 32 bytes, big-endian.
    private static func number(from reader: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard reader.popFirst() == 0x02, let length = reader.popFirst(), (1...33).contains(length),
            reader.count >= Int(length)
        else { return nil }
        let digits = reader.prefix(Int(length)).drop { $0 == 0 }
        reader = reader.dropFirst(Int(length))
        guard digits.count <= 32 else { return nil }
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }

    private static func encode(_ r: ArraySlice<UInt8>, _ s: ArraySlice<UInt8>) -> [UInt8] {
        let body = integer(r) + integer(s)
        return [0x30, UInt8(body.count)] + body
    }

    private static func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(number.drop { $0 == 0 })
        // A leading one-bit would make the number negative; zero is encoded in one byte.
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
}
