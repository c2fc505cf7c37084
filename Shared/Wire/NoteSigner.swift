public import Crypto

/// A named private key that signs notes.
public struct NoteSigner: Sendable {
    /// The private key.
    private enum Secret: Sendable {
        case ed25519(Ed25519Key)
        case ecdsa(P256Key)
    }

    /// The public key for verifiers.
    public let key: NoteKey
    private let secret: Secret

    /// Creates a signer; nil for a name that a note cannot contain.
    public init?(name: String, _ secret: Ed25519Key) {
        guard let key = NoteKey(name: name, kind: .ed25519, publicKey: secret.publicKey) else { return nil }
        self.key = key
        self.secret = .ed25519(secret)
    }

    /// Creates a signer; nil for a name that a note cannot contain.
    public init?(name: String, _ secret: P256Key) {
        guard let key = NoteKey(name: name, kind: .ecdsa, publicKey: secret.spki) else { return nil }
        self.key = key
        self.secret = .ecdsa(secret)
    }

    /// Returns the signature of a text.
    func sign(_ text: [UInt8]) throws(CryptoError) -> SignedNote.Signature {
        let bytes: [UInt8]
        switch secret {
        case .ed25519(let secret): bytes = secret.sign(text)
        case .ecdsa(let secret): bytes = try P256Signature.der(fromRaw: try secret.sign(text))
        }
        return SignedNote.Signature(name: key.name, keyID: key.id, bytes: bytes)
    }
}
