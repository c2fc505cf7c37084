import COpenSSL

/// A private X25519 key (RFC 7748), by which two sides agree on a secret.
public struct X25519Key: Sendable {
    /// Bytes of a scalar, of a public key and of a shared secret.
    public static let keySize = 32

    /// The public key; 32 bytes.
    public let publicKey: [UInt8]
    private let handle: KeyHandle

    /// Creates the key of a scalar of 32 bytes; throws for any other length.
    public init(scalar: [UInt8]) throws(CryptoError) {
        let operation = "X25519 key from a scalar"
        guard scalar.count == Self.keySize else {
            throw CryptoError(operation: operation, reason: "a scalar has 32 bytes")
        }
        handle = try unsafe KeyHandle(
            owning: EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, scalar, scalar.count), operation: operation)
        var key = [UInt8](repeating: 0, count: Self.keySize)
        var length = key.count
        guard unsafe EVP_PKEY_get_raw_public_key(handle.pointer, &key, &length) == 1, length == Self.keySize else {
            throw CryptoError.openSSL(operation)
        }
        publicKey = key
    }

    /// Returns a new key from the system's random source.
    public static func generate() -> X25519Key {
        var scalar = Random.bytes(keySize)
        defer { wipe(&scalar) }
        do {
            return try X25519Key(scalar: scalar)
        } catch {
            preconditionFailure("OpenSSL has no X25519: \(error.reason)")
        }
    }

    /// The secret scalar; 32 bytes; the caller wipes it.
    public var scalar: [UInt8] {
        var scalar = [UInt8](repeating: 0, count: Self.keySize)
        var length = scalar.count
        let result = unsafe EVP_PKEY_get_raw_private_key(handle.pointer, &scalar, &length)
        precondition(result == 1 && length == Self.keySize, "a key that was made from a scalar holds it")
        return scalar
    }

    /// Returns the secret that this key and the holder of another share; 32 bytes.
    ///
    /// Throws if the other key is no public key, or one of low order, which has a known secret (RFC 7748, 6.1).
    public func sharedSecret(with publicKey: [UInt8]) throws(CryptoError) -> [UInt8] {
        let operation = "X25519 key agreement"
        guard publicKey.count == Self.keySize else {
            throw CryptoError(operation: operation, reason: "a public key has 32 bytes")
        }
        let other = try unsafe KeyHandle(
            owning: EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, publicKey, publicKey.count),
            operation: operation)
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil) else {
            throw CryptoError.openSSL(operation)
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: Self.keySize)
        var length = secret.count
        guard unsafe EVP_PKEY_derive_init(context) == 1,
            unsafe EVP_PKEY_derive_set_peer(context, other.pointer) == 1,
            unsafe EVP_PKEY_derive(context, &secret, &length) == 1, length == secret.count
        else { throw CryptoError.openSSL(operation) }
        return secret
    }
}
