import Crypto

/// The changing identifier of an Eddystone-EID beacon, which only the owner of its key can compute (Eddystone-EID, "EID
/// computation").
public enum EphemeralIdentifier {
    /// Returns the eight bytes that the beacon sends at a time; nil if key or exponent is invalid.
    ///
    /// - Parameters:
    /// - key: The beacon's identity key, 16 bytes.
    /// - seconds: The beacon's own clock.
    /// - exponent: The identifier changes every 2^exponent seconds, 0 to 15.
    public static func identifier(key: [UInt8], seconds: UInt32, exponent: UInt8) -> [UInt8]? {
        guard key.count == AES128.size, exponent <= 15 else { return nil }
        let zeros = [UInt8](repeating: 0, count: 11)
        let upper = [UInt8(seconds >> 24), UInt8(seconds >> 16 & 0xFF)]
        let temporary = AES128.encryptBlock(key: key, block: zeros + [0xFF, 0, 0] + upper)
        let rounded = seconds & ~((1 << UInt32(exponent)) - 1)
        let time = (0..<4).map { UInt8(truncatingIfNeeded: rounded >> UInt32(24 - 8 * $0)) }
        return Array(AES128.encryptBlock(key: temporary, block: zeros + [exponent] + time).prefix(8))
    }
}
