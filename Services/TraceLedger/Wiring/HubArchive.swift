import Crypto
import EventSourcing
import EventStore
import HubStore
import Vocabulary
import Wire

/// The archive of the hub in Postgres, which also signs its checkpoints.
final class HubArchive: Archive {
    let keys: CheckpointKeys
    private let log: HubLog
    private let reader: HubReader
    private let signers: [NoteSigner]
    private var signed: UInt64 = 0
    private var isWanted = false
    private var lastSigned: Int64 = 0

    /// The least microseconds between two checkpoints, unless one is requested.
    static let microsecondsBetween: Int64 = 1_000_000

    init(_ log: HubLog, conninfo: String, hub: String, ed25519: Ed25519Key, p256: P256Key) throws(LogFailure) {
        guard let first = NoteSigner(name: hub, ed25519), let second = NoteSigner(name: hub, p256) else {
            throw LogFailure(operation: "keys", message: "\(hub) cannot name a checkpoint")
        }
        self.log = log
        reader = try HubReader(conninfo)
        signers = [first, second]
        keys = CheckpointKeys(hub: hub, vkey: first.key.vkey, spki: p256.spki)
    }

    /// Signs a checkpoint of the committed tree if it has grown and one is due. Requires that nothing is staged.
    func sign(at monotonic: Int64) throws(LogFailure) {
        let (size, root) = log.tree
        guard size > signed, isWanted || monotonic - lastSigned >= Self.microsecondsBetween else { return }
        let text = LogCheckpoint(origin: keys.hub, size: size, root: root).text
        let note: SignedNote
        do {
            note = try SignedNote(signing: text, with: signers)
        } catch {
            throw LogFailure(operation: "sign", message: "\(error)")
        }
        try log.publish(checkpoint: note.note, size: size)
        signed = size
        lastSigned = monotonic
        isWanted = false
    }

    func evidence(of event: UUID, since: UInt64?) throws(LogFailure) -> EventProof? {
        guard let position = try reader.hubPosition(of: event), let found = try reader.entry(position),
            let note = try reader.latestCheckpoint(), let size = Self.size(of: note), position <= size,
            let proof = try reader.proof(forHubPosition: position, size: size)
        else {
            isWanted = true
            return nil
        }
        var consistency: [[UInt8]]?
        if let since, since > 0, since <= size { consistency = try reader.consistency(from: since, to: size) }
        return EventProof(
            entry: found.entry.bytes, salt: found.salt, bytes: found.bytes, index: position - 1, size: size,
            proof: proof, checkpoint: note, consistency: consistency)
    }

    func signAtNextCommit() { isWanted = true }

    var hubPosition: Position { log.hubHead.position }

    func checkpoint() throws(LogFailure) -> String? {
        try reader.latestCheckpoint()
    }

    func checkpoints(after size: UInt64) throws(LogFailure) -> [(size: UInt64, note: String)] {
        try reader.checkpoints(after: size)
    }

    func tile(level: Int, index: UInt64, width: Int) throws(LogFailure) -> [UInt8]? {
        try reader.tile(MerkleTile.Address(level: level, index: index, width: width))
    }

    func entries(from first: Position, count: Int) throws(LogFailure) -> [[UInt8]] {
        try reader.ledgerEntries(from: first, count: count).map(\.bytes)
    }

    private static func size(of note: String) -> UInt64? {
        do {
            return LogCheckpoint(try SignedNote(note).text)?.size
        } catch {
            return nil
        }
    }
}
