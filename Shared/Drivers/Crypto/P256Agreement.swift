import COpenSSL

extension P256Key {
    /// Returns the secret that this key and the holder of another share (ECDH, NIST SP 800-56A): the x coordinate of
    /// the product, 32 bytes; the caller wipes it.
    ///
    /// - Parameter publicKey: the other key, uncompressed; throws if it does not lie on the curve.
    public func sharedSecret(with publicKey: [UInt8]) throws(CryptoError) -> [UInt8] {
        let operation = "P-256 key agreement"
        guard Self.isPublicKey(publicKey) else {
            throw CryptoError(operation: operation, reason: "the other key is no point of P-256")
        }
        let other = try unsafe KeyHandle(owning: openssl_shim_p256_public_key(publicKey), operation: operation)
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil) else {
            throw CryptoError.openSSL(operation)
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: Self.scalarSize)
        var length = secret.count
        guard unsafe EVP_PKEY_derive_init(context) == 1,
            unsafe EVP_PKEY_derive_set_peer(context, other.pointer) == 1,
            unsafe EVP_PKEY_derive(context, &secret, &length) == 1, length == secret.count
        else { throw CryptoError.openSSL(operation) }
        return secret
    }

    /// Returns whether the bytes are an uncompressed point of P-256.
    public static func isPublicKey(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == publicKeySize, bytes.first == 0x04 else { return false }
        defer { ERR_clear_error() }
        guard let key = unsafe openssl_shim_p256_public_key(bytes) else { return false }
        unsafe EVP_PKEY_free(key)
        return true
    }
}
