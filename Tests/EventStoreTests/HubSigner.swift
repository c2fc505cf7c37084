import Crypto
import Testing
import Wire

/// Signs checkpoints as a ledger does: once for everyone, once for browsers.
struct HubSigner {
    static let origin = "farm.example/ledger"
    let signers: [NoteSigner]

    init() throws {
        signers = [
            try #require(NoteSigner(name: Self.origin, Ed25519Key.generate())),
            try #require(NoteSigner(name: Self.origin, P256Key.generate())),
        ]
    }

    var keys: [NoteKey] { signers.map(\.key) }

    func note(size: UInt64, root: [UInt8]) throws -> String {
        let checkpoint = LogCheckpoint(origin: Self.origin, size: size, root: root)
        return try SignedNote(signing: checkpoint.text, with: signers).note
    }
}
