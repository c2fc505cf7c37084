import Crypto
import Vocabulary

/// A named public key that verifies signatures of notes (C2SP signed-note).
public struct NoteKey: Sendable, Equatable {
    /// The signature algorithm; the raw value is the type byte of the C2SP registry.
    public enum Kind: UInt8, Sendable {
        /// Ed25519 over the text; the key has 32 bytes.
        case ed25519 = 0x01
        /// ECDSA over SHA-256 of the text, the signature in DER; the key is a P-256 SubjectPublicKeyInfo in DER.
        case ecdsa = 0x02
    }

    /// The key's name: not empty, without spaces and `+`.
    public let name: String
    /// The signature algorithm.
    public let kind: Kind
    /// The public key: 32 bytes (Ed25519) or 91 bytes (P-256, SubjectPublicKeyInfo).
    public let publicKey: [UInt8]
    /// Four bytes that distinguish keys of one name.
    ///
    /// Ed25519: the first of SHA-256(name ‖ 0x0A ‖ 0x01 ‖ key); ECDSA: the first of SHA-256(SubjectPublicKeyInfo).
    public let id: [UInt8]

    /// Creates a key; nil for a name that a note cannot contain, or a key of another algorithm.
    public init?(name: String, kind: Kind, publicKey: [UInt8]) {
        guard Self.isName(name) else { return nil }
        self.name = name
        self.kind = kind
        self.publicKey = publicKey
        switch kind {
        case .ed25519:
            guard publicKey.count == Ed25519Key.keySize else { return nil }
            id = Array(SHA256.hash(Array(name.utf8) + [0x0A, kind.rawValue] + publicKey).prefix(4))
        case .ecdsa:
            guard publicKey.count == Self.spkiBytes, publicKey.starts(with: Self.spkiPrefix) else { return nil }
            id = Array(SHA256.hash(publicKey).prefix(4))
        }
    }

    /// Reads a `vkey`; nil for any other text.
    public init?(vkey: String) {
        let parts = vkey.split(separator: "+", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = BaseEncoding.base64.decode(String(parts[2])), let first = bytes.first,
            let kind = Kind(rawValue: first)
        else { return nil }
        self.init(name: String(parts[0]), kind: kind, publicKey: Array(bytes.dropFirst()))
        guard parts[1] == Hex.encode(id) else { return nil }
    }

    /// The key for verifiers: `name+<id in hex>+base64(type ‖ key)`.
    public var vkey: String {
        "\(name)+\(Hex.encode(id))+\(BaseEncoding.base64.encode([kind.rawValue] + publicKey))"
    }

    /// Returns whether the signature is valid for the text under this key.
    public func verifies(_ signature: [UInt8], over text: [UInt8]) -> Bool {
        switch kind {
        case .ed25519: return Ed25519Key.verify(signature: signature, message: text, publicKey: publicKey)
        case .ecdsa:
            let point = Array(publicKey.suffix(P256Key.publicKeySize))
            do {
                let raw = try P256Signature.raw(fromDER: signature)
                return P256Key.verify(signature: raw, message: text, publicKey: point)
            } catch {
                return false
            }
        }
    }

    static func isName(_ name: some StringProtocol) -> Bool {
        !name.isEmpty && name.utf8.count <= SignedNote.nameBytesMax
            && !name.unicodeScalars.contains { $0 == "+" || $0.properties.isWhitespace || $0.value < 0x20 }
    }

    private static let spkiBytes = 91
    /// SubjectPublicKeyInfo up to the point (RFC 5480): id-ecPublicKey, prime256v1, an uncompressed point.
    private static let spkiPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]
}
