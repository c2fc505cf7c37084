public import Crypto

/// A private key that signs notes under a name.
public struct NoteSigner: Sendable {
    /// What signs, by its kind.
    private enum Secret: Sendable {
        case ed25519(Ed25519Key)
        case ecdsa(P256Key)
    }

    /// What verifiers need.
    public let key: NoteKey
    private let secret: Secret

    /// Nil for a name that cannot stand in a note.
    public init?(name: String, _ secret: Ed25519Key) {
        guard let key = NoteKey(name: name, kind: .ed25519, publicKey: secret.publicKey) else { return nil }
        self.key = key
        self.secret = .ed25519(secret)
    }

    /// Nil for a name that cannot stand in a note.
    public init?(name: String, _ secret: P256Key) {
        guard let key = NoteKey(name: name, kind: .ecdsa, publicKey: secret.spki) else { return nil }
        self.key = key
        self.secret = .ecdsa(secret)
    }

    func sign(_ text: [UInt8]) throws(CryptoError) -> SignedNote.Signature {
        let bytes: [UInt8]
        switch secret {
        case .ed25519(let secret): bytes = secret.sign(text)
        case .ecdsa(let secret): bytes = try P256Signature.der(fromRaw: try secret.sign(text))
        }
        return SignedNote.Signature(name: key.name, keyID: key.id, bytes: bytes)
    }
}
