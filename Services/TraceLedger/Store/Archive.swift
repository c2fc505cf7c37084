public import EventSourcing
public import Vocabulary

/// What the ledger can show of the hub to whoever wants to check it.
public protocol Archive {
    /// Proof that an event is in the hub, and where the hub only grew since it had `since` entries.
    func evidence(of event: UUID, since: UInt64?) throws(LogFailure) -> EventProof?
    /// Has a checkpoint signed right after the next commit: a buyer waits for the proof of what it holds.
    func signAtNextCommit()
    /// The newest signed checkpoint; nil before the first.
    func checkpoint() throws(LogFailure) -> String?
    /// Signed checkpoints that are larger than a size, the smallest first, with the sizes that they are kept under; at
    /// most 256.
    func checkpoints(after size: UInt64) throws(LogFailure) -> [(size: UInt64, note: String)]
    /// `width` hashes of 32 bytes of a tile of the tree (C2SP tlog-tiles); nil if the tree is not that large.
    func tile(level: Int, index: UInt64, width: Int) throws(LogFailure) -> [UInt8]?
    /// The log's entries from a place of the hub on; at most 256, and fewer where it ends.
    func entries(from first: Position, count: Int) throws(LogFailure) -> [[UInt8]]
    /// Those of the events that the hub has.
    func known(_ events: [UUID]) throws(LogFailure) -> [UUID]
    /// How far the hub reaches, with what is being written.
    var hubPosition: Position { get }
    /// The name and keys that checkpoints are signed with.
    var keys: CheckpointKeys { get }
}

/// An event of the hub with everything a stranger needs to check it against a signed checkpoint.
public struct EventProof: Sendable {
    /// The ledger entry: the JSON that the leaf of the tree is the hash of.
    public let entry: [UInt8]
    /// What the entry commits to: SHA-256(salt ‖ bytes).
    public let salt: [UInt8]
    public let bytes: [UInt8]
    /// Which leaf it is, from 0.
    public let index: UInt64
    /// The size of the checkpoint's tree.
    public let size: UInt64
    /// The hashes beside the path to the root, from the leaf up (RFC 9162, section 2.1.3).
    public let proof: [[UInt8]]
    public let checkpoint: String
    /// From the older size to this one (RFC 9162, section 2.1.4); nil if none was asked for.
    public let consistency: [[UInt8]]?

    public init(
        entry: [UInt8], salt: [UInt8], bytes: [UInt8], index: UInt64, size: UInt64, proof: [[UInt8]],
        checkpoint: String, consistency: [[UInt8]]?
    ) {
        self.entry = entry
        self.salt = salt
        self.bytes = bytes
        self.index = index
        self.size = size
        self.proof = proof
        self.checkpoint = checkpoint
        self.consistency = consistency
    }
}

/// The public keys of a hub's checkpoints.
public struct CheckpointKeys: Sendable {
    /// The hub's name: the first line of its checkpoints.
    public let hub: String
    /// The Ed25519 key as a note verifier key.
    public let vkey: String
    /// The P-256 key, DER: for browsers whose crypto has no Ed25519.
    public let spki: [UInt8]

    public init(hub: String, vkey: String, spki: [UInt8]) {
        self.hub = hub
        self.vkey = vkey
        self.spki = spki
    }
}
