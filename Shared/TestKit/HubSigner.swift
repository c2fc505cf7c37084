import Crypto
public import Wire

/// Signs checkpoints as a ledger does: once for everyone, once for browsers.
public struct HubSigner {
    public static let origin = "farm.example/ledger"
    public let signers: [NoteSigner]

    public init() throws {
        guard let first = NoteSigner(name: Self.origin, Ed25519Key.generate()),
            let second = NoteSigner(name: Self.origin, P256Key.generate())
        else { throw ContractBreach("\(Self.origin) names no signer") }
        signers = [first, second]
    }

    public var keys: [NoteKey] { signers.map(\.key) }

    public func note(size: UInt64, root: [UInt8]) throws -> String {
        let checkpoint = LogCheckpoint(origin: Self.origin, size: size, root: root)
        return try SignedNote(signing: checkpoint.text, with: signers).note
    }
}
