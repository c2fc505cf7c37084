import Crypto
import EventSourcing
import EventStore
import Vault
import Vocabulary

/// The ledger's secret keys for signing checkpoints and labels. They are stored in its vault only.
struct LedgerKeys {
    let ed25519: Ed25519Key
    let p256: P256Key
    let label: P256Key
    /// The id of the label key: four letters on each label.
    let kid: String

    /// Reads the keys; generates them at the first start.
    init(_ vault: Vault) throws {
        ed25519 = try Ed25519Key(seed: Self.secret("checkpoint-ed25519", vault) { Ed25519Key.generate().seed })
        p256 = try P256Key(scalar: Self.secret("checkpoint-p256", vault) { P256Key.generate().scalar })
        label = try P256Key(scalar: Self.secret("label-p256", vault) { P256Key.generate().scalar })
        kid = String(BaseEncoding.base32.encode(SHA256.hash(label.publicKey)).prefix(4))
    }

    private static func secret(_ name: String, _ vault: Vault, make: () -> [UInt8]) throws -> [UInt8] {
        if let secret = try vault.get(kind: "key", id: name) { return secret }
        let secret = make()
        try vault.put(kind: "key", id: name, fields: secret)
        return secret
    }
}
