public import EventSourcing
public import Vocabulary

/// The evidence that the ledger returns about the hub, for verification.
public protocol Archive {
    /// Returns the proof that an event is in the hub; nil if it is unknown, or no checkpoint covers it yet.
    ///
    /// With `since`, the proof includes that the hub only grew since that size.
    func evidence(of event: UUID, since: UInt64?) throws(LogFailure) -> EventProof?
    /// Requests a checkpoint right after the next commit, because a buyer waits for the proof of its contents.
    func signAtNextCommit()
    /// Returns the newest signed checkpoint; nil before the first.
    func checkpoint() throws(LogFailure) -> String?
    /// Returns at most 256 signed checkpoints larger than a size, the smallest first, each with its size.
    func checkpoints(after size: UInt64) throws(LogFailure) -> [(size: UInt64, note: String)]
    /// Returns `width` hashes of 32 bytes of a tile of the tree (C2SP tlog-tiles); nil if the tree is not that large.
    func tile(level: Int, index: UInt64, width: Int) throws(LogFailure) -> [UInt8]?
    /// Returns at most 256 log entries from a hub position on; fewer at the end.
    func entries(from first: Position, count: Int) throws(LogFailure) -> [[UInt8]]
    /// The hub's position, including events that are being committed.
    var hubPosition: Position { get }
    /// The name and keys that checkpoints are signed with.
    var keys: CheckpointKeys { get }
}

/// An event of the hub with all data for verifying it against a signed checkpoint.
public struct EventProof: Sendable {
    /// The ledger entry: the JSON whose hash is the leaf of the tree.
    public let entry: [UInt8]
    /// The salt and the event's bytes, to which the entry commits: SHA-256(salt ‖ bytes).
    public let salt: [UInt8]
    public let bytes: [UInt8]
    /// The index of the leaf, from 0.
    public let index: UInt64
    /// The size of the checkpoint's tree.
    public let size: UInt64
    /// The hashes beside the path to the root, from the leaf up (RFC 9162, section 2.1.3).
    public let proof: [[UInt8]]
    public let checkpoint: String
    /// The consistency proof from the older size to this one (RFC 9162, section 2.1.4); nil if not requested.
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
