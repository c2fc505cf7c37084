/// AES in CCM mode (RFC 3610, NIST SP 800-38C): how BTHome, MiBeacon and ZigBee seal their reports.
///
/// Keys have 16, 24 or 32 bytes, nonces 7 to 13, tags 4, 6 … 16. A nonce must never be used twice with one key.
public enum AESCCM {
    /// Returns the plaintext.
    ///
    /// Throws if the tag does not verify or a length is not allowed.
    public static func open(
        key: [UInt8], nonce: [UInt8], ciphertext: [UInt8], tag: [UInt8], aad: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        let operation = "AES-CCM open"
        let cipher = try checked(key, nonce, ciphertext, tag.count, aad, operation)
        let context = try CipherContext(operation: operation)
        try context.choose(cipher, sealing: false)
        try context.setNonceLength(nonce.count)
        try context.setTag(tag)
        try context.setKey(key, nonce: nonce)
        try context.announce(textBytes: ciphertext.count)
        try context.authenticate(aad)
        do {
            return try context.turn(ciphertext)
        } catch {
            throw CryptoError(operation: operation, reason: "the tag does not fit")
        }
    }

    /// Returns the ciphertext, as long as the plaintext, and the tag of `tagLength` bytes.
    ///
    /// Throws if a length is not allowed.
    public static func seal(
        key: [UInt8], nonce: [UInt8], plaintext: [UInt8], aad: [UInt8] = [], tagLength: Int
    ) throws(CryptoError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        let operation = "AES-CCM seal"
        let cipher = try checked(key, nonce, plaintext, tagLength, aad, operation)
        let context = try CipherContext(operation: operation)
        try context.choose(cipher, sealing: true)
        try context.setNonceLength(nonce.count)
        try context.setTagLength(tagLength)
        try context.setKey(key, nonce: nonce)
        try context.announce(textBytes: plaintext.count)
        try context.authenticate(aad)
        let ciphertext = try context.turn(plaintext)
        try context.finish()
        return (ciphertext, try context.tag(tagLength))
    }

    private static func checked(
        _ key: [UInt8], _ nonce: [UInt8], _ text: [UInt8], _ tagLength: Int, _ aad: [UInt8], _ operation: String
    ) throws(CryptoError) -> Cipher {
        func refusal(_ reason: String) -> CryptoError { CryptoError(operation: operation, reason: reason) }
        guard (7...13).contains(nonce.count) else { throw refusal("a nonce has 7 to 13 bytes") }
        guard (4...16).contains(tagLength), tagLength.isMultiple(of: 2) else {
            throw refusal("a tag has 4, 6, 8, 10, 12, 14 or 16 bytes")
        }
        // The length of the text is written into the 15 − nonce bytes that the nonce leaves.
        let textBytesMax = nonce.count > 11 ? 1 << (8 * (15 - nonce.count)) - 1 : CryptoLimits.messageBytes
        guard text.count <= textBytesMax, aad.count <= CryptoLimits.messageBytes else { throw refusal("too long") }
        switch key.count {
        case 16: return .aes128CCM
        case 24: return .aes192CCM
        case 32: return .aes256CCM
        default: throw refusal("a key has 16, 24 or 32 bytes")
        }
    }
}
