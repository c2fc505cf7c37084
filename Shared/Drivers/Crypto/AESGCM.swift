/// AES-256 in GCM mode (NIST SP 800-38D) with a random nonce: encrypts personal fields and secrets at rest.
///
/// A random nonce of 12 bytes is safe for about 2³² texts under one key.
public enum AESGCM {
    /// Bytes of a key.
    public static let keySize = 32
    /// Bytes that sealing adds to a plaintext: the nonce and the tag.
    public static let overhead = nonceSize + tagSize

    private static let nonceSize = 12
    private static let tagSize = 16

    /// Returns `nonce ‖ ciphertext ‖ tag`: 28 bytes more than the plaintext.
    public static func seal(key: [UInt8], plaintext: [UInt8], aad: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        let operation = "AES-GCM seal"
        try check(key, plaintext, aad, operation)
        let nonce = Random.bytes(nonceSize)
        let context = try CipherContext(operation: operation)
        try context.choose(.aes256GCM, sealing: true)
        try context.setKey(key, nonce: nonce)
        try context.authenticate(aad)
        let ciphertext = try context.turn(plaintext)
        try context.finish()
        return nonce + ciphertext + (try context.tag(tagSize))
    }

    /// Returns the plaintext of `nonce ‖ ciphertext ‖ tag`.
    ///
    /// Throws if a bit of it, of the key or of the additional data differs.
    public static func open(key: [UInt8], sealed: [UInt8], aad: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        let operation = "AES-GCM open"
        try check(key, sealed, aad, operation)
        guard sealed.count >= overhead else { throw CryptoError(operation: operation, reason: "too short") }
        let context = try CipherContext(operation: operation)
        try context.choose(.aes256GCM, sealing: false)
        try context.setKey(key, nonce: Array(sealed.prefix(nonceSize)))
        try context.authenticate(aad)
        var plaintext = try context.turn(Array(sealed[nonceSize..<(sealed.count - tagSize)]))
        try context.setTag(Array(sealed.suffix(tagSize)))
        do {
            try context.finish()
        } catch {
            wipe(&plaintext)
            throw CryptoError(operation: operation, reason: "the tag does not fit")
        }
        return plaintext
    }

    private static func check(
        _ key: [UInt8], _ text: [UInt8], _ aad: [UInt8], _ operation: String
    ) throws(CryptoError) {
        guard key.count == keySize else { throw CryptoError(operation: operation, reason: "a key has 32 bytes") }
        guard text.count <= CryptoLimits.messageBytes, aad.count <= CryptoLimits.messageBytes else {
            throw CryptoError(operation: operation, reason: "too long")
        }
    }
}
