import Crypto

/// The encrypted payload of a sensor: AES-128 in CCM mode with a tag of four bytes.
struct SealedPayload {
    var nonce: [UInt8]
    var ciphertext: [UInt8]
    var tag: [UInt8]
    var aad: [UInt8] = []

    /// Returns the decrypted payload. Throws ``Malformed`` if the key is unknown or the tag does not match.
    func open(_ key: [UInt8]?, at offset: Int) throws(Malformed) -> [UInt8] {
        guard let key else { throw Malformed("encrypted, and no bindkey is known", at: offset, isSealed: true) }
        do throws(CryptoError) {
            return try AESCCM.open(key: key, nonce: nonce, ciphertext: ciphertext, tag: tag, aad: aad)
        } catch {
            throw Malformed("encrypted under another bindkey", at: offset, isSealed: true)
        }
    }
}
