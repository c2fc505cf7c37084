import COpenSSL

/// A private Ed25519 key (RFC 8032): deterministic signatures of 64 bytes.
public struct Ed25519Key: Sendable {
    /// Bytes of a seed and of a public key.
    public static let keySize = 32
    /// Bytes of a signature.
    public static let signatureSize = 64

    /// The public key; 32 bytes.
    public let publicKey: [UInt8]
    private let handle: KeyHandle

    /// Creates the key of a seed of 32 bytes; throws for any other length.
    public init(seed: [UInt8]) throws(CryptoError) {
        let operation = "Ed25519 key from a seed"
        guard seed.count == Self.keySize else {
            throw CryptoError(operation: operation, reason: "a seed has 32 bytes")
        }
        handle = try unsafe KeyHandle(
            owning: EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count), operation: operation)
        var key = [UInt8](repeating: 0, count: Self.keySize)
        var length = key.count
        guard unsafe EVP_PKEY_get_raw_public_key(handle.pointer, &key, &length) == 1, length == Self.keySize else {
            throw CryptoError.openSSL(operation)
        }
        publicKey = key
    }

    /// Returns a new key from the system's random source.
    public static func generate() -> Ed25519Key {
        var seed = Random.bytes(keySize)
        defer { wipe(&seed) }
        do {
            return try Ed25519Key(seed: seed)
        } catch {
            preconditionFailure("OpenSSL has no Ed25519: \(error.reason)")
        }
    }

    /// The secret seed; 32 bytes; the caller wipes it.
    public var seed: [UInt8] {
        var seed = [UInt8](repeating: 0, count: Self.keySize)
        var length = seed.count
        let result = unsafe EVP_PKEY_get_raw_private_key(handle.pointer, &seed, &length)
        precondition(result == 1 && length == Self.keySize, "a key that was made from a seed holds it")
        return seed
    }

    /// Returns the signature of the message; 64 bytes.
    public func sign(_ message: [UInt8]) -> [UInt8] {
        do {
            return try handle.sign(message, digest: .own, maximum: Self.signatureSize)
        } catch {
            preconditionFailure("OpenSSL cannot sign with a sound key: \(error.reason)")
        }
    }

    /// Returns whether the signature is valid for the message and key; false for anything malformed.
    ///
    /// OpenSSL's rule: `R` must be canonical, `S` below the group's order, and the equation is checked without the
    /// cofactor. Public keys of low order or in a non-canonical encoding are accepted. Other verifiers differ on such
    /// edge cases, so nothing may depend on them.
    public static func verify(signature: [UInt8], message: [UInt8], publicKey: [UInt8]) -> Bool {
        guard signature.count == signatureSize, publicKey.count == keySize else { return false }
        do {
            let key = try unsafe KeyHandle(
                owning: EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count),
                operation: "Ed25519 verify")
            return key.verify(signature, of: message, digest: .own)
        } catch {
            return false
        }
    }
}
