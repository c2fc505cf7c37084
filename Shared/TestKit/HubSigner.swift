import Crypto
public import Wire

/// Signs checkpoints as a ledger does: with Ed25519, and with P-256 for browsers.
public struct HubSigner {
    /// The name of the log.
    public static let origin = "farm.example/ledger"
    /// The two signers.
    public let signers: [NoteSigner]

    /// Creates signers with new keys.
    public init() throws {
        guard let first = NoteSigner(name: Self.origin, Ed25519Key.generate()),
            let second = NoteSigner(name: Self.origin, P256Key.generate())
        else { throw ContractBreach("\(Self.origin) names no signer") }
        signers = [first, second]
    }

    /// The public keys.
    public var keys: [NoteKey] { signers.map(\.key) }

    /// Returns a signed checkpoint of a log of `size` entries.
    public func note(size: UInt64, root: [UInt8]) throws -> String {
        let checkpoint = LogCheckpoint(origin: Self.origin, size: size, root: root)
        return try SignedNote(signing: checkpoint.text, with: signers).note
    }
}
