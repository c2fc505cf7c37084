/// AES-128 in GCM mode with a nonce of the caller, for protocols that derive both (RFC 8188).
///
/// A nonce must never be used twice under one key; to encrypt data at rest, use ``AESGCM``.
public enum AES128GCM {
    /// Bytes of a key.
    public static let keySize = 16
    /// Bytes of a nonce.
    public static let nonceSize = 12
    /// Bytes of the tag that follows a ciphertext.
    public static let tagSize = 16

    /// Returns `ciphertext ‖ tag`.
    public static func seal(key: [UInt8], nonce: [UInt8], plaintext: [UInt8]) throws(CryptoError) -> [UInt8] {
        let operation = "AES-128-GCM seal"
        guard key.count == keySize, nonce.count == nonceSize, plaintext.count <= CryptoLimits.messageBytes else {
            throw CryptoError(operation: operation, reason: "a key has 16 bytes, a nonce 12")
        }
        let context = try CipherContext(operation: operation)
        try context.choose(.aes128GCM, sealing: true)
        try context.setKey(key, nonce: nonce)
        let ciphertext = try context.turn(plaintext)
        try context.finish()
        return ciphertext + (try context.tag(tagSize))
    }

    /// Returns the plaintext of `ciphertext ‖ tag`. Throws if a bit of it, of the key or of the nonce differs.
    public static func open(key: [UInt8], nonce: [UInt8], sealed: [UInt8]) throws(CryptoError) -> [UInt8] {
        let operation = "AES-128-GCM open"
        guard key.count == keySize, nonce.count == nonceSize, sealed.count <= CryptoLimits.messageBytes,
            sealed.count >= tagSize
        else { throw CryptoError(operation: operation, reason: "a key has 16 bytes, a nonce 12, a tag 16") }
        let context = try CipherContext(operation: operation)
        try context.choose(.aes128GCM, sealing: false)
        try context.setKey(key, nonce: nonce)
        var plaintext = try context.turn(Array(sealed.dropLast(tagSize)))
        try context.setTag(Array(sealed.suffix(tagSize)))
        do {
            try context.finish()
        } catch {
            wipe(&plaintext)
            throw CryptoError(operation: operation, reason: "the tag does not fit")
        }
        return plaintext
    }
}
