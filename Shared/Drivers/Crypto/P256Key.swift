import COpenSSL

/// A private P-256 key that signs with ECDSA over SHA-256, which every browser's WebCrypto can verify (FIPS 186-5).
///
/// Signatures are randomised, and a second valid one can be derived from the first: do not use a signature as an
/// identity.
public struct P256Key: Sendable {
    /// Bytes of the secret scalar.
    public static let scalarSize = 32
    /// Bytes of an uncompressed public key: 0x04 ‖ x ‖ y.
    public static let publicKeySize = 65

    /// The public key, uncompressed: 0x04 ‖ x ‖ y; 65 bytes.
    public let publicKey: [UInt8]
    let handle: KeyHandle

    /// Returns a new key from the system's random source.
    public static func generate() -> P256Key {
        do {
            let operation = "P-256 key"
            let handle = try unsafe KeyHandle(owning: openssl_shim_generate_p256(), operation: operation)
            return try P256Key(handle, operation: operation)
        } catch {
            preconditionFailure("OpenSSL has no P-256: \(error.reason)")
        }
    }

    /// Creates the key of a secret scalar: 32 bytes, big-endian, above zero and below the group's order.
    public init(scalar: [UInt8]) throws(CryptoError) {
        let operation = "P-256 key from a scalar"
        guard scalar.count == Self.scalarSize else {
            throw CryptoError(operation: operation, reason: "a scalar has 32 bytes")
        }
        // ECPrivateKey of RFC 5915 with the curve's name and without the public key, which OpenSSL computes.
        var der = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20] + scalar + Self.curveParameters
        defer { wipe(&der) }
        let pointer = unsafe der.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe d2i_PrivateKey(EVP_PKEY_EC, nil, &start, buffer.count)
        }
        try self.init(unsafe KeyHandle(owning: pointer, operation: operation), operation: operation)
    }

    /// Reads a PEM text, `PRIVATE KEY` (PKCS#8) or `EC PRIVATE KEY`; throws for encrypted keys and other curves.
    public init(pem: String) throws(CryptoError) {
        let operation = "P-256 key from PEM"
        let bio = try MemoryBIO.holding(Array(pem.utf8), operation: operation)
        let handle = try unsafe KeyHandle(owning: openssl_shim_read_private_key(bio.pointer), operation: operation)
        try self.init(handle, operation: operation)
    }

    /// Reads a PKCS#8 PrivateKeyInfo in DER; throws for other curves.
    public init(pkcs8: [UInt8]) throws(CryptoError) {
        let operation = "P-256 key from PKCS#8"
        guard pkcs8.count <= CryptoLimits.documentBytes else {
            throw CryptoError(operation: operation, reason: "too long")
        }
        let info = unsafe pkcs8.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var start = buffer.baseAddress
            return unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &start, buffer.count)
        }
        guard let info = unsafe info else { throw CryptoError.openSSL(operation) }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        try self.init(unsafe KeyHandle(owning: EVP_PKCS82PKEY(info), operation: operation), operation: operation)
    }

    private init(_ handle: KeyHandle, operation: String) throws(CryptoError) {
        try Self.check(handle, operation: operation)
        // A key from a file may prefer compressed points; this driver uses uncompressed points only.
        unsafe EVP_PKEY_set_utf8_string_param(
            handle.pointer, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT,
            OSSL_PKEY_EC_POINT_CONVERSION_FORMAT_UNCOMPRESSED)
        self.handle = handle
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe EVP_PKEY_get1_encoded_public_key(handle.pointer, &start)
        publicKey = try unsafe taking(start, count: count, operation: operation)
        guard publicKey.count == Self.publicKeySize else { throw CryptoError.openSSL(operation) }
    }
}

extension P256Key {
    /// The secret scalar; 32 bytes, big-endian; the caller wipes it.
    public var scalar: [UInt8] {
        var number: OpaquePointer?
        var scalar = [UInt8](repeating: 0, count: Self.scalarSize)
        let found = unsafe EVP_PKEY_get_bn_param(handle.pointer, OSSL_PKEY_PARAM_PRIV_KEY, &number)
        defer { unsafe BN_clear_free(number) }
        let length = unsafe BN_bn2binpad(number, &scalar, Int32(Self.scalarSize))
        precondition(found == 1 && length == Int32(Self.scalarSize), "a checked private key has a scalar")
        return scalar
    }

    /// The public key as SubjectPublicKeyInfo in DER (RFC 5480); 91 bytes, what WebCrypto imports as `spki`.
    public var spki: [UInt8] {
        Self.spkiPrefix + publicKey
    }

    /// Returns the secret key as PKCS#8 in PEM.
    public func pem() throws(CryptoError) -> String {
        let bio = try MemoryBIO(operation: "P-256 key to PEM")
        guard unsafe PEM_write_bio_PKCS8PrivateKey(bio.pointer, handle.pointer, nil, nil, 0, nil, nil) == 1 else {
            throw CryptoError.openSSL("P-256 key to PEM")
        }
        return String(decoding: bio.contents(), as: UTF8.self)
    }

    /// Returns the secret key as PKCS#8 PrivateKeyInfo in DER; the caller wipes it.
    public func pkcs8() throws(CryptoError) -> [UInt8] {
        let operation = "P-256 key to PKCS#8"
        guard let info = unsafe EVP_PKEY2PKCS8(handle.pointer) else { throw CryptoError.openSSL(operation) }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &start)
        return try unsafe taking(start, count: Int(count), operation: operation)
    }

    /// Returns the signature of the message's SHA-256, `r ‖ s`; 64 bytes.
    public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        let der = try handle.sign(message, digest: .sha256, maximum: P256Signature.derBytesMax)
        return try P256Signature.raw(fromDER: der)
    }

    /// Returns whether `r ‖ s` (64 bytes) is valid for the message and key (65 bytes); false for anything malformed.
    public static func verify(signature: [UInt8], message: [UInt8], publicKey: [UInt8]) -> Bool {
        guard signature.count == P256Signature.size, publicKey.count == publicKeySize, publicKey.first == 0x04 else {
            return false
        }
        defer { ERR_clear_error() }
        do {
            let key = try unsafe KeyHandle(
                owning: openssl_shim_p256_public_key(publicKey), operation: "P-256 verify")
            return key.verify(try P256Signature.der(fromRaw: signature), of: message, digest: .sha256)
        } catch {
            return false
        }
    }

    /// The parameters [0] of an ECPrivateKey: the object identifier of prime256v1.
    private static let curveParameters: [UInt8] = [
        0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
    ]

    /// SubjectPublicKeyInfo of a P-256 key up to the point: id-ecPublicKey, prime256v1, a bit string of 66 bytes.
    private static let spkiPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// Throws unless the key is an EC key on P-256 with a scalar in range and the matching point.
    private static func check(_ handle: KeyHandle, operation: String) throws(CryptoError) {
        var name = [CChar](repeating: 0, count: 32)
        var length = 0
        let curve = Array("prime256v1".utf8)
        guard unsafe EVP_PKEY_is_a(handle.pointer, "EC") == 1,
            unsafe EVP_PKEY_get_group_name(handle.pointer, &name, name.count, &length) == 1,
            name.prefix(length).map(UInt8.init(bitPattern:)) == curve
        else { throw CryptoError(operation: operation, reason: "not a P-256 key") }
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil) else {
            throw CryptoError.openSSL(operation)
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_check(context) == 1 else { throw CryptoError.openSSL(operation) }
    }
}
