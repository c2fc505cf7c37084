/// Hybrid Public Key Encryption (RFC 9180) in base mode, for one message: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and
/// AES-128-GCM.
///
/// The holder of a public key can encrypt to its owner, and both can derive further secrets from the message.
public struct HPKE: Sendable {
    /// The identifiers of the key encapsulation, the key derivation and the cipher.
    public static let identifiers: (kem: UInt16, kdf: UInt16, aead: UInt16) = (0x0020, 0x0001, 0x0001)
    /// Bytes of the encapsulated key that the receiver needs.
    public static let encapsulatedSize = X25519Key.keySize

    /// The encapsulated key; 32 bytes.
    public let encapsulated: [UInt8]
    private let key: [UInt8]
    private let nonce: [UInt8]
    private let exporterSecret: [UInt8]

    /// Begins a message to the owner of a public key. Throws if it is none.
    ///
    /// - Parameters:
    ///   - info: what both sides know of the use, so that a message cannot be taken for another.
    ///   - ephemeral: the sender's key; only tests name one.
    public init(
        to publicKey: [UInt8], info: [UInt8], ephemeral: X25519Key = .generate()
    ) throws(CryptoError) {
        try self.init(
            agreed: ephemeral.sharedSecret(with: publicKey), encapsulated: ephemeral.publicKey, receiver: publicKey,
            info: info)
    }

    /// Opens what a sender has encapsulated for a key. Throws if that is no public key.
    public init(encapsulated: [UInt8], for key: X25519Key, info: [UInt8]) throws(CryptoError) {
        try self.init(
            agreed: key.sharedSecret(with: encapsulated), encapsulated: encapsulated, receiver: key.publicKey,
            info: info)
    }

    private init(agreed: [UInt8], encapsulated: [UInt8], receiver: [UInt8], info: [UInt8]) throws(CryptoError) {
        let kem = Suite.kem
        let shared = kem.expand(
            kem.extract(salt: [], "eae_prk", agreed), "shared_secret", encapsulated + receiver, count: 32)
        let suite = Suite.hpke
        let context = [0] + suite.extract(salt: [], "psk_id_hash", []) + suite.extract(salt: [], "info_hash", info)
        let secret = suite.extract(salt: shared, "secret", [])
        self.encapsulated = encapsulated
        key = suite.expand(secret, "key", context, count: AES128GCM.keySize)
        nonce = suite.expand(secret, "base_nonce", context, count: AES128GCM.nonceSize)
        exporterSecret = suite.expand(secret, "exp", context, count: 32)
    }

    /// Returns the encrypted message; call it once, because the nonce is always the first.
    public func seal(_ plaintext: [UInt8]) throws(CryptoError) -> [UInt8] {
        try AES128GCM.seal(key: key, nonce: nonce, plaintext: plaintext)
    }

    /// Returns the message. Throws if a bit of it differs.
    public func open(_ sealed: [UInt8]) throws(CryptoError) -> [UInt8] {
        try AES128GCM.open(key: key, nonce: nonce, sealed: sealed)
    }

    /// Returns a secret that only both sides can derive (RFC 9180, 5.3); at most 32 bytes.
    public func export(_ context: String, count: Int) -> [UInt8] {
        Suite.hpke.expand(exporterSecret, "sec", Array(context.utf8), count: count)
    }

    /// The labelled derivations of RFC 9180, 4.
    private struct Suite {
        let identifier: [UInt8]

        static let kem = Suite(identifier: Array("KEM".utf8) + bytes(identifiers.kem))
        static let hpke = Suite(
            identifier: Array("HPKE".utf8) + bytes(identifiers.kem) + bytes(identifiers.kdf) + bytes(identifiers.aead))

        func extract(salt: [UInt8], _ label: String, _ secret: [UInt8]) -> [UInt8] {
            HKDFSHA256.extract(salt: salt, secret: prefix(label) + secret)
        }

        func expand(_ key: [UInt8], _ label: String, _ info: [UInt8], count: Int) -> [UInt8] {
            HKDFSHA256.expand(key, info: Self.bytes(UInt16(count)) + prefix(label) + info, count: count)
        }

        private func prefix(_ label: String) -> [UInt8] { Array("HPKE-v1".utf8) + identifier + Array(label.utf8) }

        private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
    }
}
